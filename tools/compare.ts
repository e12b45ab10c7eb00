import { existsSync, readFileSync } from 'node:fs';

import { apiCompare } from 'api-smart-diff';

import { bounded } from '../src/api/description/bounds';
import { isObject } from '../src/api/json/is-object';
import { portable } from '../src/api/representations/user';
import { MAX_SENT } from '../src/api/representations/username';
import { MAX_HEADER } from '../src/limits';

/** A difference between two descriptions. */
export interface Change {
    /** the place: "GET /projects", or another part of the description */
    of: string;
    text: string;
    breaking: boolean;
    /** the parameter or field whose pattern, values or number of items changed: no program can tell whether that breaks clients */
    pattern: string | undefined;
}

/** Compares two descriptions. Differences in components are reported for the operations that refer to them. */
export function compare(released: object, current: object): Change[] {
    /** Whether an operation needs no token: a new way to send one breaks no client. */
    const isPublic = (path: string, method: string): boolean => [Object(current).paths?.[path]?.[method]?.security].flat().some((one) => Object.keys(Object(one)).length === 0);

    return apiCompare(released, current).diffs.filter(({ path: [first] }) => first !== 'components').map(({ type, action, path, description }) => {
        const [first, place = '', method = '', part] = path.map(String);
        // api-smart-diff takes a new field of a part of a response for a new field that a client has to send, and a type beside an enum or a constant for a new one.
        const isShown = part === 'responses' && action === 'add' && (/^(?:properties|required)$/.test(String(path.at(-2))) || path.at(-1) === 'type');
        // How many bits keep a number, and bounds of a response, accept no less.
        const isHint = path.at(-1) === 'format' || part === 'responses' && /^(?:max|min)(?:Length|Items|imum)$/.test(String(path.at(-1)));
        return {
            of: first === 'paths' ? `${method.toUpperCase()} ${place}` : String(first),
            text: `${description || action} (${path.slice(3).join('/')})`,
            // api-smart-diff does not report a changed constant as breaking.
            breaking: (type === 'breaking' && !isShown && !isHint && !(part === 'security' && isPublic(place, method))) || path.at(-1) === 'const' && action !== 'add',
            pattern: path.at(-1) === 'pattern' ? /parameter `(\w+)`/.exec(description ?? '')?.[1] ?? String(path.at(-2)) : /\/(\w+)\/(?:maxItems|(?:items\/)?enum\/\d+)$/.exec(path.join('/'))?.[1]
        };
    });
}

/** The names in backticks in the lines under "Unreleased" that begin with this word in bold. */
function namedIn(changelog: string, word: 'Breaking' | 'Wider'): Set<string> {
    const unreleased = changelog.split(/^## /m).find((section) => section.startsWith('Unreleased\n')) ?? '';
    const lines = unreleased.split('\n').filter((line) => line.startsWith(`- **${word}:**`));
    return new Set(lines.flatMap((line) => [...line.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)));
}

/** Whether docs/stability.md promises that nothing breaks between two versions: they have the same major version, from 1 on. */
export const isPromised = (released: string, current: string): boolean => Number.parseInt(released) >= 1 && Number.parseInt(released) === Number.parseInt(current);

/** The changes that break clients of a release of the same major version, which no line excuses. An operation whose time is over may go. @param today as `2027-01-31` */
export function brokenPromises(released: object, changes: readonly Change[], today: string): Change[] {
    const isOver = ({ of, text }: Change): boolean => {
        const [method = '', path = ''] = of.split(' ');
        const { deprecated, description } = Object(Object(released).paths?.[path]?.[method.toLowerCase()]);
        const [, sunset = '9999'] = /it may be gone from (\d{4}-\d\d-\d\d) on/.exec(String(description)) ?? [];
        return deprecated === true && sunset <= today && text.startsWith('[Removed] operation ');
    };

    return changes.filter((change) => change.breaking && !isOver(change));
}

/**
 * The changes that break clients and that no line under "Unreleased" names: `- **Breaking:** … \`GET /path\` …`, or, for a
 * parameter or field that may be more than before, `- **Wider:** … \`field\` …`.
 */
export function unnamedIn(changelog: string, changes: readonly Change[]): Change[] {
    const [named, wider] = [namedIn(changelog, 'Breaking'), namedIn(changelog, 'Wider')];
    return changes.filter(({ of, breaking, pattern = '' }) => breaking && !named.has(of) && !wider.has(pattern));
}

const shown = (changes: readonly Change[]): string => changes.map(({ of, text, breaking }) => `  ${breaking ? 'breaking' : 'other   '}  ${of}: ${text}`).join('\n');

/** A function for `JSON.stringify` that gives the release the bounds of requests which it had, and did not say yet. */
function withBounds(key: string, value: unknown): unknown {
    const { in: place, schema, pattern }: { in?: unknown; schema?: object; pattern?: unknown } = Object(value);
    const known = place === 'header' ? { schema: { maxLength: MAX_HEADER, ...schema } } : pattern === portable.source ? { minLength: 1, maxLength: MAX_SENT } : {};
    return bounded(key, isObject(value) ? { ...value, ...known } : value);
}

/** Prints how `openapi.json` differs from the last release, and exits with 1 if an unnamed difference breaks clients. */
function main(): void {
    if (!existsSync('openapi.released.json')) {
        console.log('There is no release to compare with yet.');
        return;
    }

    // The other spelling of the same: one generator of clients makes a wrong pattern of the first.
    const known = JSON.parse(readFileSync('openapi.released.json', 'utf8').replaceAll(String.raw`:\\/\\/`, ':[/]{2}'));
    const [released, current] = [JSON.parse(JSON.stringify(known, withBounds)), JSON.parse(readFileSync('openapi.json', 'utf8'))];
    const changes = compare(released, current);
    console.log(`${changes.length} difference(s) from the last release:\n${shown(changes)}`);
    const broken = isPromised(released.info.version, current.info.version) ? brokenPromises(released, changes, new Date().toISOString().slice(0, 10)) : [];
    if (broken.length > 0) {
        console.error(`docs/stability.md promises that these do not happen before the next major version. Add the new beside the old, and give that \`deprecated\`:\n${shown(broken)}`);
        process.exitCode = 1;
    }

    const unnamed = unnamedIn(readFileSync('CHANGELOG.md', 'utf8'), changes);
    if (unnamed.length > 0) {
        console.error(`These changes break clients, and no line "- **Breaking:** … \`GET /path\` …" under Unreleased in CHANGELOG.md names them:\n${shown(unnamed)}`);
        process.exitCode = 1;
    }
}

if (require.main === module) {
    main();
}
