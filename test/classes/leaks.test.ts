import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { pathWith, routes } from '../routes/index';
import { Cast } from '../support/cast';
import { castOfClass, outside, roles } from '../support/class-cast';
import type { Role } from '../support/class-cast';
import { startTestServer } from '../support/server';
import type { Actor, Answer, TestServer } from '../support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

describe('who is of a class, and who is not', () => {
    let server: TestServer;
    let people: Record<Role, Actor>;
    let moderator: Actor;
    let pupil: Actor;
    let id: string;
    let project: string;

    const call = (who: Actor | undefined, method: string, url: string, body?: unknown): Promise<Answer> => server.call(method, url, body, who && { token: who.token });

    before(async () => {
        server = await startTestServer();
        ({ id, people, pupil, moderator } = await castOfClass(server, new Cast(server), async (made) => {
            project = (await call(made.pupil, 'POST', '/users/me/projects', { title: 'Secret-of-project' })).body.project.id;
            // All of them could read it once.
            for (const who of [made.people.formerPupil, made.people.formerTeacher]) {
                expect((await call(made.pupil, 'PUT', `/users/${made.pupil.id}/projects/${project}/members/${who.username}`, { role: 'editor' })).status).to.equal(201);
                expect((await call(who, 'GET', `/users/${made.pupil.id}/projects/${project}`)).status).to.equal(200);
            }
        }));
    });

    after(async () => {
        expect(server.faults).to.equal([]);
        await server.stop();
    });

    it('decides what the routes of classes answer', async () => {
        const url = `/classes/${id}`;
        for (const role of roles) {
            const who = people[role];
            const found = (await call(who, 'GET', url)).status;
            expect(found, role).to.equal(outside.includes(role) ? 404 : 200);
            for (const [method, path, body] of [['PATCH', url, { title: '' }], ['DELETE', `${url}/teachers/${moderator.username}`, {}], ['PATCH', `${url}/pupils/999999`, { name: 'X' }]] as const) {
                const { status, body: { code } } = await call(who, method, path, body);
                expect([status, code], `${role} ${method} ${path}`).to.equal(code === 'validation_failed' ? [400, code] : outside.includes(role) ? [404, 'not_found'] : role === 'classmate' ? [403, 'forbidden'] : [404, 'not_found']);
            }
        }

        expect((await call(moderator, 'GET', url)).status).to.equal(404);
    });

    it('is answered to others as a class that does not exist', async () => {
        const shape = async (who: Actor, path: string, method: string, body?: object): Promise<string> => {
            const { status, body: { request_id: _id, ...rest } } = await call(who, method, path, body);
            return JSON.stringify([status, rest]);
        };

        for (const role of outside) {
            for (const [method, path, body] of [['GET', ''], ['PATCH', '', { title: 'X' }], ['DELETE', '', {}], ['POST', '/pupils', { names: ['X'] }], ['PATCH', `/pupils/${pupil.id}`, { name: 'X' }], ['DELETE', `/pupils/${pupil.id}`, {}], ['PUT', `/teachers/${people.coTeacher.username}`, {}], ['DELETE', `/teachers/${people.coTeacher.username}`, {}]] as const) {
                expect(await shape(people[role], `/classes/${id}${path}`, method, body), `${role} ${method} ${path}`).to.equal(await shape(people[role], `/classes/999999${path}`, method, body));
            }
        }
    });

    it('is told by no route that reads, to nobody who is outside', async () => {
        const reads = routes.filter(({ method, key }) => method === 'GET' && !/\/metrics|events$/.test(key));
        expect(reads.length).to.be.above(50);
        const ids = {
            user: pupil.id, project, page: '1', element: '1', class_id: id, username: pupil.username, collection: '1', app: '1', token: '1', entry: '1', revision: '1', invitation: '1', passkey: '1', identity: '1',
            sha256: '0'.repeat(64), tag: 'art', language: 'en', file: 'render.js', version: '1'
        };
        for (const role of [...outside, undefined]) {
            for (const { path, query = '' } of reads) {
                for (const url of [pathWith(path, ids), pathWith(path.replace('{user}', 'me'), ids)]) {
                    const { text } = await call(role && people[role], 'GET', url + query);
                    expect(text, `${role} ${url}`).to.not.match(/Secret-of-(?:class|pupil|project)/);
                }
            }
        }
    });

    it('finds a pupil by the username nowhere else, whatever takes a name', async () => {
        const who = people.elsewhere;
        const own = (await call(who, 'POST', '/users/me/projects', { title: 'Mine' })).body.project.id;
        const named = routes.filter(({ path }) => path.includes('{username}'));
        expect(named.length).to.be.above(3);
        for (const { key, method, path, body } of named) {
            const ask = async (username: string): Promise<unknown> => {
                const ids = { user: who.id, project: own, class_id: id, username };
                const { status, body: { request_id: _id, ...rest } } = await call(who, method, pathWith(path, ids), body?.(ids));
                return [status, rest];
            };

            expect(await ask(pupil.username), key).to.equal(await ask('nobody-here'));
        }
    });

    it('keeps the private project of a pupil from all of them, teachers too, as long as it is not put into the class', async () => {
        for (const role of roles) {
            for (const path of ['', '/pages', '/history', '/members', '/changes?since=0', '/export', '/remixes']) {
                expect((await call(people[role], 'GET', `/users/${pupil.id}/projects/${project}${path}`)).status, `${role} ${path}`).to.equal(404);
            }
        }

        expect((await call(pupil, 'GET', `/users/${pupil.id}/projects/${project}`)).status).to.equal(200);
    });

    it('shows a classmate the name of a pupil and no username, and a teacher both', async () => {
        const { text } = await call(people.classmate, 'GET', `/classes/${id}`);
        expect(text).to.contain('Secret-of-pupil');
        expect(text).to.not.contain(pupil.username);
        for (const role of ['teacher', 'coTeacher'] as const) {
            expect((await call(people[role], 'GET', `/classes/${id}`)).text).to.contain(pupil.username);
        }
    });
});
