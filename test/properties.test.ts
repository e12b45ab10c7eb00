import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { actions } from './routes/actions';
import { pathWith, routes } from './routes/index';
import type { Ids } from './routes/route';
import { Cast, stored } from './support/cast';
import type { Target } from './support/cast';
import { drawing, hashOf } from './support/files';
import { startTestServer } from './support/server';
import type { TestServer } from './support/server';

export const lab = script();

const { components: { schemas } }: { components: { schemas: Record<string, { properties?: object }> } } = JSON.parse(readFileSync(join(__dirname, '../openapi.json'), 'utf8'));

/** Fields that somebody who has read the source, or knows another service, may try to set. */
const wished = [
    'admin', 'role', 'roles', 'scope', 'owner', 'owner_id', 'userId', 'isBoom', 'constructor', 'prototype', 'toString', 'hasOwnProperty', '__defineGetter__', '$set', 'permissions.moderator', 'views', 'token', 'after'
];

/** Every field in responses, every column and every field above: sending them must not set them. */
const featuring = '/users/{user}/projects/{project}/feature';

lab.experiment('Fields that clients must not set', () => {

    let server: TestServer;
    let target: Target;
    let ids: Ids;
    let names: string[];
    let tokens: string[];

    lab.before(async () => {
        server = await startTestServer();
        const cast = new Cast(server);
        target = await cast.target();
        ids = { ...target, username: target.member, owner: target.username, serial: '1', sha256: hashOf(drawing()) };
        const moderator = await cast.account('moderator');
        tokens = [await cast.token(target.user), await cast.token(moderator.id)];
        const { rows } = await server.database.db.raw(`select distinct column_name as name from information_schema.columns where table_schema = 'public'`);
        const shown = Object.values(schemas).flatMap(({ properties }) => Object.keys({ ...properties }));
        names = [...new Set([...rows.map(({ name }: { name: string }) => name), ...shown, ...wished])];
    });

    lab.after(() => server.stop());

    /** A value that would be valid for some fields. */
    const valueOf = (name: string): unknown => (/(?:_at|date)$/.test(name) ? '2001-01-01T00:00:00.000Z' : /id$/i.test(name) ? '1' : true);

    /** Many fields in each request: a response names up to 100, so it shows of each that it is rejected. */
    const refuse = async (method: string, path: string, bodyWith: (fields: object) => object, taken: readonly string[], at: string): Promise<void> => {
        const url = pathWith(path, ids);
        const before = await stored(server);
        const refused = names.filter((name) => !taken.includes(name));
        for (let from = 0; from < refused.length; from += 90) {
            const some = refused.slice(from, from + 90);
            for (const token of tokens) {
                const { status, body, text } = await server.call(method, url, bodyWith(Object.fromEntries(some.map((name) => [name, valueOf(name)]))), { token });
                expect({ status, code: body.code }, `${method} ${url}: ${text}`).to.equal({ status: 400, code: 'validation_failed' });
                expect(body.details.map((detail: { path: string }) => detail.path), text).to.include(some.map((name) => `${at}${name}`));
            }
        }

        expect(await stored(server)).to.equal(before);
    };

    lab.test('are many, and include the important ones', () => {
        expect(names).to.include([
            'id', 'user_id', 'project_id', 'page_id', 'revision', 'version', 'featured', 'moderator', 'staff', 'permissions', 'created_at', 'updated_at', 'deleted_at', 'remixed_from', 'stats', 'tags', 'author',
            'history', 'password_hash', 'hash', 'issuer', 'subject', 'page_count', 'element_count'
        ]);
    });

    // Who features a project is told first, in the next test.
    for (const { key, method, path, takes, body } of routes.filter((row) => row.takes && row.path !== featuring)) {
        lab.test(`are refused by ${key}`, () => refuse(method, path, (fields) => ({ ...body?.(ids), ...fields }), takes ?? [], ''));
    }

    lab.test('are rejected when a project is featured, which an author cannot do', async () => {
        const [own = '', moderators = ''] = tokens;
        const before = await stored(server);
        const url = pathWith(featuring, ids);
        expect((await server.call('PATCH', url, { featured: true }, { token: own })).status).to.equal(403);
        for (const name of names.filter((one) => !['featured', 'revision'].includes(one))) {
            expect((await server.call('PATCH', url, { featured: true, [name]: true }, { token: moderators })).status, name).to.equal(400);
        }

        expect(await stored(server)).to.equal(before);
    });

    for (const [action, { data, takes }] of Object.entries(actions)) {
        const [type, method] = action.split(' ');
        lab.test(`are refused by ${method} of ${type} in a bulk`, () => refuse('POST', '/users/{user}/bulk', (fields) => ({
            actions: [{ type: 'projects', method: 'create', data: { title: 'Before' } }, { type, method, data: { ...data(ids), ...fields } }]
        }), takes, 'actions.1.data.'));

        lab.test(`are refused beside the data of ${method} of ${type} in a bulk`, () => refuse('POST', '/users/{user}/bulk', (fields) => ({
            actions: [{ type, method, data: data(ids), ...fields }]
        }), ['type', 'method', 'data'], 'actions.0.'));
    }

    lab.test('a revision is compared, and never stored', async () => {
        const [token = ''] = tokens;
        const url = `/users/${target.user}/projects/${target.project}`;
        for (const [revision, status] of [[1, 200], [77, 409], [2, 200]] as const) {
            expect((await server.call('PATCH', url, { title: 'Again', revision }, { token })).status).to.equal(status);
        }

        expect((await server.call('GET', url)).body.project.revision).to.equal(3);
    });
});
