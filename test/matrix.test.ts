import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { version } from '../src/api/description/version';
import { byAction, cellsOf, missingRows, routes, typeOf, urlOf } from './routes/index';
import type { Row } from './routes/index';
import { callers, Cast, stored } from './support/cast';
import type { Caller } from './support/cast';
import { drawing, hashOf, storeAsset } from './support/files';
import { build } from './support/program';
import { startProvider } from './support/provider';
import type { TestProvider } from './support/provider';
import { startTestServer } from './support/server';
import type { TestServer } from './support/server';

export const lab = script();

/** A request that each caller tries. */
interface Try extends Row {
    /** by caller */
    cells: readonly string[];
    /** differs from what tokens of the service itself can do */
    isElsewhere: boolean;
}

/** Every route by id, and with `me`. */
const tries = (all: readonly Row[], isElsewhere: (row: Row) => boolean): Try[] => byAction(all).flatMap((row) => {
    const one = { ...row, isElsewhere: isElsewhere(row), cells: cellsOf(row.callers, row.scope) };
    return row.me === null ? [one] : [one, { ...one, path: row.path.replace('{user}', 'me'), cells: cellsOf(row.me, row.scope) }];
});

/** An asset that is there from the start. */
const shown = drawing('<g id="shown"/>');

const local = tries(routes, () => false);
const ofAnother = tries(routes.map((row) => ({ ...row, ...row.elsewhere })), ({ elsewhere }) => elsewhere !== undefined);

/** The first of the routes with the same answers for the same reason. Both kinds of provider share all code but for what reads a token. */
const alike = (all: readonly Try[]): Try[] => [...new Map(all.toReversed().map((row) => [[row.method === 'GET', row.scope, ...row.cells].join(' '), row])).values()].toReversed();

const firstOfAnother = alike(ofAnother);

const firstOfLocal = new Set(alike(local));

/** Callers whose token is not valid for the same reason everywhere: with `CALLERS=all`, as each night, they try every row, else one of each kind. That every row looks at the token is what `none`, `scope` and `stranger` show. */
const flawed: readonly Caller[] = ['garbage', 'expired', 'revoked', 'deleted'];

const triedBy = (row: Try): readonly Caller[] => (process.env.CALLERS === 'all' || row.isElsewhere || firstOfLocal.has(row) ? callers : callers.filter((caller) => !flawed.includes(caller)));

/** With `CALLERS=all`, as each night, every route is tried with tokens of another service; else one of each kind, since only what reads a token differs. */
const rowsOf = { local, jwt: process.env.CALLERS === 'all' ? ofAnother : firstOfAnother, introspection: process.env.CALLERS === 'all' ? firstOfAnother : firstOfAnother.slice(0, 3) } as const;

for (const kind of ['local', 'jwt', 'introspection'] as const) {
    lab.experiment(`Who may do what, by tokens of ${kind}`, () => {

        let provider: TestProvider | undefined;
        let server: TestServer;
        let cast: Cast;
        let serial = 0;

        lab.before(async () => {
            await build();
            provider = kind === 'local' ? undefined : await startProvider(kind);
            server = await startTestServer(provider && { config: { auth: provider.settings() } });
            cast = new Cast(server, provider);
            await storeAsset(server, shown, 'image/svg+xml');
        });

        lab.after(async () => {
            await server.stop();
            await provider?.stop();
        });

        lab.test('is in the table for every route', () => {
            expect(missingRows(server.server)).to.equal([]);
        });

        lab.test('is in the table for every path with a user also with `me`', () => {
            expect(routes.filter(({ path, me }) => path.startsWith('/users/{user}') !== (me !== null)).map(({ key }) => key)).to.equal([]);
        });

        for (const row of rowsOf[kind]) {
            lab.test(`${row.method} ${row.path} ${row.action}`, async () => {
                // The test compares everything that is stored, so it is kept small. To truncate many small tables takes twenty times as long.
                await server.database.db.raw('delete from users');
                const cells = [];
                const tried = triedBy(row);
                const writesAt = (cell: string): boolean => row.method !== 'GET' && cell.startsWith('2') && !cell.endsWith('=');
                /** of all who write nothing: to make one takes longer than their requests */
                const common = await cast.target();
                for (const [index, caller] of callers.entries()) {
                    if (tried.includes(caller) && (caller !== 'newcomer' || kind !== 'local')) {
                        const cell = row.cells[index] ?? '';
                        const target = writesAt(cell) ? await cast.target() : common;
                        const { authorization } = await cast.caller(caller, target, row.scope === 'user' ? 'user' : 'projects');
                        cells.push({ caller, cell, target, authorization });
                    }
                }

                let before = await stored(server);
                /** what was sent since, and must not have stored anything */
                let harmless: string[] = [];
                const hasNotChanged = async (): Promise<void> => {
                    expect(await stored(server), `stored something: ${harmless.join('\n')}`).to.equal(before);
                    harmless = [];
                };

                for (const { caller, cell, target, authorization } of cells) {
                    const writes = writesAt(cell);
                    if (writes && harmless.length > 0) {
                        await hasNotChanged();
                    }

                    const ids = { ...target, username: target.member, owner: target.username, sha256: row.path.startsWith('/moderation/') ? '0'.repeat(64) : hashOf(row.method === 'GET' ? shown : drawing()), file: 'render.js', version, language: 'pt-BR', tag: 'art', serial: String(++serial) };
                    const url = urlOf(row, ids);
                    const body = row.body?.(ids);
                    const headers = { ...typeOf(row.path, body), ...authorization !== undefined && { authorization } };
                    const answer = await server.call(row.method, url, body, { headers });

                    const what = `${row.method} ${url} ${row.action} as ${caller}: ${answer.text.slice(0, 300)}`;
                    expect(String(answer.status), what).to.equal(cell.slice(0, 3));
                    if (writes) {
                        const after = await stored(server);
                        expect(after, `${what}; stored nothing`).to.not.equal(before);
                        before = after;
                    }
                    else {
                        harmless.push(what);
                    }

                    if (cell.startsWith('4')) {
                        const code = row.isElsewhere && cell === '404' && !row.path.startsWith('/sign-ins') ? 'not_local' : codeOf(cell, caller, row);
                        expect(answer.body, what).to.include({ statusCode: answer.status, request_id: answer.headers['x-request-id'], code });
                        expect(answer.headers['www-authenticate'], what).to.equal(challengeOf(cell, caller, row.scope));
                        expect(answer.body.action, what).to.equal(row.path === '/users/me/bulk' && code === 'forbidden' ? 0 : undefined);
                    }
                }

                await hasNotChanged();
                expect(server.faults).to.equal([]);
            });
        }
    });
}

function codeOf(cell: string, caller: string, { path }: Try): string {
    switch (cell) {
        case '401':
            return 'invalid_token';
        case '400':
            return path.includes('/passkeys') ? 'passkey_invalid' : 'link_invalid';
        case '404':
            // The project is no remix.
            return path.includes('/upstream') && !(path.startsWith('/users/me') && (caller === 'stranger' || caller === 'moderator')) ? 'source_unavailable' : 'not_found';
        case '409':
            return path === '/invitations' ? 'owner_is_no_member' : path.endsWith('/appeal') ? 'appealed' : 'not_undoable';
        default:
            return caller === 'scope' ? 'insufficient_scope' : caller === 'newcomer' && path !== '/users/me/bulk' ? 'no_account' : 'forbidden';
    }
}

/** RFC 6750 section 3 */
function challengeOf(cell: string, caller: string, scope: string): string | undefined {
    if (cell === '401') {
        return `Bearer realm="pagewright"${caller === 'none' ? '' : ', error="invalid_token"'}`;
    }

    return caller === 'scope' && cell === '403' ? `Bearer realm="pagewright", error="insufficient_scope", scope="${scope}"` : undefined;
}
