import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

// It runs from its sources in tests, and else from a build.
const root = dirname(require.resolve('#package'));

/** What a file documents, with local values of a test filled in: so what is documented is what is tested. @throws Error if a text to be replaced is missing */
function filled(text: string, replacements: Readonly<Record<string, string>>, file: string): string {
    return Object.entries(replacements).reduce((before, [from, to]) => {
        if (!before.includes(from)) {
            throw new Error(`${file} has no "${from}"`);
        }

        return before.replaceAll(from, to);
    }, text);
}

/** A configuration of examples/deploy, filled in. */
export function documentedFile(name: 'haproxy.cfg' | 'nginx.conf' | 'patroni.yml' | 'pgbouncer.ini', replacements: Readonly<Record<string, string>>): string {
    const file = `examples/deploy/${name}`;
    return filled(readFileSync(resolve(root, file), 'utf8'), replacements, file);
}

/** The first block of this language in a page of docs, filled in. */
export function documented(language: 'sh' | 'sql', replacements: Readonly<Record<string, string>>, page: string): string {
    const file = `docs/${page}`;
    const [, block = ''] = new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'ms').exec(readFileSync(resolve(root, file), 'utf8')) ?? [];
    return filled(block, replacements, file);
}
