import { existsSync, readFileSync } from 'node:fs';

import { apiCompare } from 'api-smart-diff';

/** A difference between two descriptions. */
export interface Change {
    /** what it is of: "GET /projects", or a part of the description that is no operation */
    of: string;
    text: string;
    breaking: boolean;
}

/** Compares two descriptions. What differs in components is told of the operations that refer to them. */
export function compare(released: object, current: object): Change[] {
    return apiCompare(released, current).diffs.filter(({ path: [first] }) => first !== 'components').map(({ type, action, path, description }) => {
        const [first, place, method] = path.map(String);
        return {
            of: first === 'paths' ? `${String(method).toUpperCase()} ${place}` : String(first),
            text: `${description || action} (${path.slice(3).join('/')})`,
            // It takes another constant for nothing that breaks a client.
            breaking: type === 'breaking' || path.at(-1) === 'const' && action !== 'add'
        };
    });
}

/** What the changelog says, under "Unreleased" and in backticks, to have changed in a way that breaks clients. */
function namedIn(changelog: string): Set<string> {
    const unreleased = changelog.split(/^## /m).find((section) => section.startsWith('Unreleased\n')) ?? '';
    const lines = unreleased.split('\n').filter((line) => line.startsWith('- **Breaking:**'));
    return new Set(lines.flatMap((line) => [...line.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)));
}

/** Those changes that break clients, and that no line `- **Breaking:** … \`GET /path\` …` under "Unreleased" names. */
export function unnamedIn(changelog: string, changes: readonly Change[]): Change[] {
    const named = namedIn(changelog);
    return changes.filter(({ of, breaking }) => breaking && !named.has(of));
}

const shown = (changes: readonly Change[]): string => changes.map(({ of, text, breaking }) => `  ${breaking ? 'breaking' : 'other   '}  ${of}: ${text}`).join('\n');

/** Shows how `openapi.json` differs from that of the last release, and ends with 1 where it breaks clients unsaid. */
function main(): void {
    if (!existsSync('openapi.released.json')) {
        console.log('Nothing has been released yet, so there is nothing to compare with.');
        return;
    }

    const changes = compare(JSON.parse(readFileSync('openapi.released.json', 'utf8')), JSON.parse(readFileSync('openapi.json', 'utf8')));
    console.log(`${changes.length} difference(s) from the last release:\n${shown(changes)}`);
    const unnamed = unnamedIn(readFileSync('CHANGELOG.md', 'utf8'), changes);
    if (unnamed.length > 0) {
        console.error(`These break clients, and no line "- **Breaking:** … \`GET /path\` …" under Unreleased in CHANGELOG.md names them:\n${shown(unnamed)}`);
        process.exitCode = 1;
    }
}

if (require.main === module) {
    main();
}
