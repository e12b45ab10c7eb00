import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { Cast, stored } from './support/cast';
import type { Target } from './support/cast';
import { PASSWORD, startTestServer } from './support/server';
import type { TestServer } from './support/server';

export const lab = script();

const { components: { schemas } }: { components: { schemas: Record<string, { properties?: object }> } } = JSON.parse(readFileSync(join(__dirname, '../openapi.json'), 'utf8'));

/** Fields that somebody who has read the source, or knows another service, may try to set. */
const wished = [
    'admin', 'role', 'roles', 'scope', 'owner', 'owner_id', 'userId', 'isBoom', 'constructor', 'prototype', 'toString', 'hasOwnProperty', '__defineGetter__', '$set', 'permissions.moderator', 'views', 'token', 'after'
];

/** Each write with a valid body, and the fields that it accepts. */
const writes: readonly (readonly [string, string, (target: Target) => object, readonly string[]])[] = [
    ['POST', '/users', () => ({ username: 'somebody', password: PASSWORD }), ['username', 'password', 'language']],
    ['PATCH', '/users/{user}', () => ({ language: 'fr' }), ['username', 'language', 'revision']],
    ['PUT', '/users/{user}/password', () => ({ current_password: PASSWORD, password: PASSWORD }), ['current_password', 'password']],
    ['DELETE', '/users/{user}', () => ({}), ['revision']],
    ['POST', '/tokens', ({ username }) => ({ username, password: PASSWORD }), ['username', 'password', 'scope', 'label', 'expires_in']],
    ['DELETE', '/tokens', () => ({}), []],
    ['DELETE', '/tokens/{token}', () => ({}), []],
    ['POST', '/users/{user}/projects', () => ({ title: 'New' }), ['title', 'description', 'thumbnail']],
    ['PATCH', '/users/{user}/projects/{project}', () => ({ title: 'Changed' }), ['title', 'description', 'thumbnail', 'revision']],
    ['DELETE', '/users/{user}/projects/{project}', () => ({}), ['revision']],
    ['POST', '/users/{user}/projects/{project}/remixes', () => ({}), []],
    ['POST', '/users/{user}/projects/{project}/pages', () => ({ x: 5, y: 5 }), ['x', 'y', 'styles']],
    ['PATCH', '/users/{user}/projects/{project}/pages/{page}', () => ({ x: 5 }), ['x', 'y', 'styles', 'revision']],
    ['DELETE', '/users/{user}/projects/{project}/pages/{page}', () => ({}), ['revision']],
    ['POST', '/users/{user}/projects/{project}/pages/{page}/elements', () => ({ type: 'text' }), ['type', 'attributes', 'styles']],
    ['PATCH', '/users/{user}/projects/{project}/pages/{page}/elements/{element}', () => ({ styles: { top: 1 } }), ['attributes', 'styles', 'revision']],
    ['DELETE', '/users/{user}/projects/{project}/pages/{page}/elements/{element}', () => ({}), ['revision']],
    ['POST', '/view-project/{project}', () => ({}), []],
    ['POST', '/users/{user}/bulk', () => ({ actions: [{ type: 'projects', method: 'create', data: { title: 'New' } }] }), ['actions']]
];

/** The same for the actions of a bulk. */
const actions: readonly (readonly [string, string, (target: Target) => object, readonly string[]])[] = [
    ['projects', 'create', () => ({ title: 'New' }), ['title', 'description', 'thumbnail']],
    ['projects', 'update', ({ project }) => ({ id: project, title: 'Changed' }), ['id', 'title', 'description', 'thumbnail', 'revision']],
    ['projects', 'remove', ({ project }) => ({ id: project }), ['id']],
    ['pages', 'create', ({ project }) => ({ projectId: project, x: 5, y: 5 }), ['projectId', 'x', 'y', 'styles']],
    ['pages', 'update', ({ page }) => ({ id: page, x: 5 }), ['id', 'x', 'y', 'styles', 'revision']],
    ['pages', 'remove', ({ page }) => ({ id: page }), ['id']],
    ['elements', 'create', ({ page }) => ({ pageId: page, type: 'text' }), ['pageId', 'type', 'attributes', 'styles']],
    ['elements', 'update', ({ element }) => ({ id: element, styles: { top: 1 } }), ['id', 'attributes', 'styles', 'revision']],
    ['elements', 'remove', ({ element }) => ({ id: element }), ['id']]
];

/** Every field in responses, every column and every field above: sending them must not set them. */
lab.experiment('Fields that clients must not set', { timeout: 60_000 }, () => {

    let server: TestServer;
    let target: Target;
    let names: string[];
    let tokens: string[];

    lab.before(async () => {
        server = await startTestServer();
        const cast = new Cast(server);
        target = await cast.target();
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
        const url = path.replace(/\{(\w+)\}/g, (_match, name: string) => String(Reflect.get(target, name)));
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

    for (const [method, path, body, taken] of writes) {
        lab.test(`are refused by ${method} ${path}`, () => refuse(method, path, (fields) => ({ ...body(target), ...fields }), taken, ''));
    }

    lab.test('are rejected when a project is featured, which an author cannot do', async () => {
        const path = '/users/{user}/projects/{project}/feature';
        const [own = '', moderators = ''] = tokens;
        const before = await stored(server);
        const url = path.replace('{user}', target.user).replace('{project}', target.project);
        expect((await server.call('PATCH', url, { featured: true }, { token: own })).status).to.equal(403);
        for (const name of names.filter((one) => !['featured', 'revision'].includes(one))) {
            expect((await server.call('PATCH', url, { featured: true, [name]: true }, { token: moderators })).status, name).to.equal(400);
        }

        expect(await stored(server)).to.equal(before);
    });

    for (const [type, method, data, taken] of actions) {
        lab.test(`are refused by ${method} of ${type} in a bulk`, () => refuse('POST', '/users/{user}/bulk', (fields) => ({
            actions: [{ type: 'projects', method: 'create', data: { title: 'Before' } }, { type, method, data: { ...data(target), ...fields } }]
        }), taken, 'actions.1.data.'));

        lab.test(`are refused beside the data of ${method} of ${type} in a bulk`, () => refuse('POST', '/users/{user}/bulk', (fields) => ({
            actions: [{ type, method, data: data(target), ...fields }]
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
