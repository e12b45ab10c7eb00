import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** All files of a folder, by their paths in it. */
export const filesIn = (folder: string): string[] => readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => statSync(join(folder, name)).isFile()).sort();

/** The addresses that a page leads to or loads, those that its player knows included. */
function addressesIn(html: string): string[] {
    const [, linked = '{}'] = /<script type="application\/json" id="linked">([^<]*)<\/script>/.exec(html) ?? [];
    const { missing, projects = {} }: { missing?: string; projects?: Record<string, string> } = JSON.parse(linked);
    const markup = html.replace(/<script[^]*?<\/script>|<style>[^]*?<\/style>/g, '');
    return [...markup.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, address = '']) => address).concat(missing ?? [], Object.values(projects));
}

/** What is wrong with the links of an archive: those that lead nowhere, and those that lead out of it. */
export function faultsOfLinks(folder: string): string[] {
    return filesIn(folder).filter((name) => name.endsWith('.html')).flatMap((name) => addressesIn(readFileSync(join(folder, name), 'utf8')).filter((address) => {
        const path = join(folder, dirname(name), address.replace(/#.*/, ''));
        return !address.startsWith('data:') && !address.startsWith('#') && (/^[a-z]+:|^\//.test(address) || relative(folder, path).startsWith('..') || !existsSync(path));
    }).map((address) => `${name}: ${address}`));
}

/** Names that some file system cannot have, or has already in another case. */
export function unsafeNames(folder: string): string[] {
    const names = filesIn(folder);
    const device = /(?:^|\/)(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|\/|$)/;
    return names.filter((name) => !/^[a-z0-9/_-]+\.[a-z0-9]+$/.test(name) || device.test(name) || name.length > 100);
}
