import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { pathWith, questions, typeOf } from '../routes/index';
import type { Question } from '../routes/index';
import type { Ids } from '../routes/route';
import { Cast } from '../support/cast';
import { castOfClass, roles } from '../support/class-cast';
import type { ClassCast, Role } from '../support/class-cast';
import { startTestServer } from '../support/server';
import type { Actor, Answer, TestServer } from '../support/server';

export const lab = script();

/*
 * What each route answers about a private project of a managed pupil to each role in its class: to those for whom it is there, what everybody is answered about a project
 * that is unlisted; to all others, what everybody is answered about a private one.
 */

/** For whom a project is in the class. */
const audiences = ['none', 'teachers', 'class'] as const;
type Audience = typeof audiences[number];

const readers: Readonly<Record<Audience, readonly Role[]>> = { none: [], teachers: ['teacher', 'coTeacher'], class: ['teacher', 'coTeacher', 'classmate'] };

/** Lists of projects that readers of an unlisted project do not find there, and those of a class do. */
const isCollection = ({ path }: Question): boolean => path === '/collections/{collection}' || path === '/collections/{mine}';

/** The collection in a path is not the pupil's, who can have none that others see. */
const isAsked = ({ path, row, shows }: Question): boolean => !path.startsWith('/users/{user}/collections/{collection}') && (/\{(?:project|page|element)\}/.test(path) || row.action !== '' || shows !== undefined);
/** Guests report what is public; no token is looked at. */
const asked = questions.filter((question) => isAsked(question) && !question.row.path.endsWith('/guest-reports'));
/** Reads come first, since remixes of the project have its texts. */
const inOrder = [...asked.filter(({ row }) => row.method === 'GET'), ...asked.filter(({ row }) => row.method !== 'GET')];

const mark = 'marked-secret';

lab.experiment('A private project of a pupil', () => {
    let server: TestServer;
    let maker: Cast;
    let cast: ClassCast;
    const worlds = new Map<Audience, Ids>();
    /** of each role, by audience: a collection with the project in it */
    const mine = new Map<string, string>();

    const call = (who: Pick<Actor, 'token'>, method: string, url: string, body?: unknown): Promise<Answer> => server.call(method, url, body, { token: who.token });

    const collect = async (who: Actor, project: string, visibility: string): Promise<string> => {
        const { rows: [made] } = await server.database.db.raw(`insert into collections (user_id, title, description, visibility) values (?, 'Mine', '', ?) returning id`, [who.id, visibility]);
        await server.database.db.raw('insert into collection_projects (collection_id, project_id, place) values (?, ?, 1)', [made.id, project]);
        return made.id;
    };

    const worldOf = async ({ id, pupil, people }: ClassCast, audience: Audience): Promise<Ids> => {
        const { body } = await call(pupil, 'POST', '/users/me/projects', { title: `${mark}-title`, description: `#${mark}-tag` });
        const { project: { id: project }, page: { id: page } } = body;
        const url = `/users/${pupil.id}/projects/${project}`;
        const { body: { element } } = await call(pupil, 'POST', `${url}/pages/${page}/elements`, { type: 'text', attributes: { text: `${mark}-text` } });
        const { body: { element: old } } = await call(pupil, 'POST', `${url}/pages/${page}/elements`, { type: 'text' });
        await call(pupil, 'DELETE', `${url}/pages/${page}/elements/${old.id}`);
        const { body: { trash: [entry] } } = await call(pupil, 'GET', '/users/me/trash');
        const { body: { comment } } = await call(pupil, 'POST', `${url}/comments`, { text: `${mark}-comment` });
        const { body: { invitation } } = await call(pupil, 'POST', `${url}/invitations`, { role: 'viewer' });
        if (audience !== 'none') {
            expect((await call(pupil, 'PUT', `${url}/classes/${id}`, { audience })).status).to.equal(201);
        }

        // All who are to go could read it once.
        for (const role of roles) {
            const { status } = await call(people[role], 'GET', url);
            const isOfClass = role !== 'elsewhere' && (audience === 'class' || (audience === 'teachers' && !['classmate', 'formerPupil'].includes(role)));
            expect(status, `${audience} ${role}`).to.equal(isOfClass ? 200 : 404);
            mine.set(`${audience} ${role}`, await collect(people[role], project, 'public'));
        }

        return {
            user: pupil.id, username: people.classmate.username, project, page, element: element.id, entry: entry.id, comment: comment.id, invitation: invitation.id, class_id: id, revision: '1', language: 'en', tag: `${mark}-tag`,
            collection: await collect(await maker.actor(), project, 'public'), hidden: await collect(pupil, project, 'private')
        };
    };

    lab.before(async () => {
        server = await startTestServer({ fresh: true });
        // So large that no other number contains one.
        await server.database.db.raw(`select setval('projects_id_seq', 7100000000), setval('pages_id_seq', 7200000000), setval('elements_id_seq', 7300000000)`);
        maker = new Cast(server);
        cast = await castOfClass(server, maker, async (made) => {
            for (const audience of audiences) {
                worlds.set(audience, await worldOf(made, audience));
            }
        });
    });

    lab.after(() => server.stop());

    const ask = ({ row: { method }, path, query = '', body }: Question, audience: Audience, role: Role, ids: Ids): Promise<Answer> => {
        const who = cast.people[role];
        const sent = body?.(ids);
        return server.call(method, pathWith(path, { ...ids, me: who.id, mine: mine.get(`${audience} ${role}`) ?? '' }) + query, sent, { token: who.token, headers: typeOf(path, sent) });
    };

    for (const question of inOrder) {
        lab.test(`is answered to each role as it should be: ${question.name}`, async () => {
            for (const audience of audiences) {
                const ids = worlds.get(audience) ?? {};
                for (const role of roles) {
                    const reads = readers[audience].includes(role);
                    const what = `${question.name}, in the class for ${audience}, as ${role}`;
                    const answer = await ask(question, audience, role, ids);
                    expect(answer.status, `${what}: ${answer.text.slice(0, 300)}`).to.equal(question.expected(reads ? 'unlisted' : 'private', 'stranger'));
                    const leaked = [mark, ids.project, ids.page, ids.element].filter((one) => answer.text.includes(String(one)));
                    if (question.row.method === 'GET' && question.shows !== undefined) {
                        expect(leaked.length > 0, `${what}: ${answer.text.slice(0, 300)}`).to.equal(reads && isCollection(question));
                    }
                    else if (!reads) {
                        expect(leaked, `${what} leaks: ${answer.text.slice(0, 300)}`).to.equal([]);
                    }

                    if (!reads && answer.status === 404 && question.path.includes('{project}')) {
                        const absent = await ask(question, audience, role, { ...ids, project: '7999999999' });
                        expect([absent.status, { ...absent.body, request_id: '' }], `${what}, and of what does not exist`).to.equal([answer.status, { ...answer.body, request_id: '' }]);
                    }
                }
            }

            expect(server.faults).to.equal([]);
        });
    }

    lab.test('is in the gallery of the class for those who read it, and there is none for others', async () => {
        for (const role of roles) {
            const { status, text } = await call(cast.people[role], 'GET', `/classes/${cast.id}/projects`);
            const isOfClass = ['teacher', 'coTeacher', 'classmate'].includes(role);
            expect(status, role).to.equal(isOfClass ? 200 : 404);
            expect(audiences.filter((audience) => text.includes(`"id":"${worlds.get(audience)?.project}"`)), role).to.equal(isOfClass ? audiences.filter((audience) => readers[audience].includes(role)) : []);
        }
    });

    lab.test('that moderators hold is its owner\'s and theirs alone', async () => {
        for (const audience of audiences) {
            const ids = worlds.get(audience) ?? {};
            await server.database.db.raw(`update projects set held_at = now(), held_reason = 'Spam' where id = ?`, [ids.project ?? null]);
            for (const role of roles) {
                expect((await call(cast.people[role], 'GET', `/users/${ids.user}/projects/${ids.project}`)).status, `${audience} ${role}`).to.equal(404);
                expect((await call(cast.people[role], 'GET', `/classes/${cast.id}/projects`)).text, `${audience} ${role}`).to.not.contain(`"id":"${ids.project}"`);
            }

            expect((await call(cast.pupil, 'GET', `/users/${ids.user}/projects/${ids.project}`)).status).to.equal(200);
            expect((await call(cast.pupil, 'GET', `/classes/${cast.id}/projects`)).text.includes(`"id":"${ids.project}"`)).to.equal(audience !== 'none');
        }
    });
});
