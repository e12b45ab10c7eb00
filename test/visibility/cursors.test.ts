import { readFileSync } from 'node:fs';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { index as indexSearch } from '../../src/community/search/jobs';
import { ownersStatus, pathWith, routes } from '../routes/index';
import { openAuthor } from '../support/authoring';
import type { Author, Made } from '../support/authoring';
import { startTestServer } from '../support/server';
import type { Answer, TestServer } from '../support/server';

export const lab = Lab.script();

const cursorOf = (rank: number, time: number, id: string): string => Buffer.from(`${rank}.${time}.${id}`).toString('base64url');

lab.test('A forged cursor that names what is private, held or deleted tells nothing, on any list', async () => {
    const server: TestServer = await startTestServer();
    const [ada, reader, moderator]: Author[] = [await openAuthor(server, 'ada'), await openAuthor(server, 'reader'), await openAuthor(server, 'mod', { moderator: true })];
    if (ada === undefined || reader === undefined || moderator === undefined) {
        throw new Error('Nobody is there');
    }

    const { db } = server.database;
    const first = await ada.project({ title: 'Mine', description: '#art' });
    const { body: { collection } } = await ada.call('POST', `/users/${ada.id}/collections`, { title: 'Gardens' });
    const made: Made[] = [];
    for (let n = 0; n < 7; ++n) {
        const project = await ada.remix(first);
        made.push(project);
        await ada.call('PATCH', project.url, { description: '#art' });
        await moderator.call('PATCH', `${project.url}/feature`, { featured: true });
        await ada.call('PUT', `/users/${ada.id}/collections/${collection.id}/projects/${project.id}`);
        await ada.call('PUT', `${project.url}/members/${reader.username}`, { role: 'viewer' });
        await reader.call('POST', `/view-project/${project.id}`);
    }

    await ada.call('PUT', `${first.url}/members/${reader.username}`, { role: 'viewer' });
    await indexSearch(db, new AbortController().signal);
    const [, , secret, , held, , deleted] = made;
    const hidden = [secret, held, deleted].map((project) => String(project?.id));
    for (const project of [secret, deleted]) {
        await ada.call('DELETE', `${project?.url}/members/${reader.username}`);
    }

    await ada.call('PATCH', String(secret?.url), { visibility: 'private' });
    await moderator.call('PUT', `/moderation/projects/${held?.id}/hold`, { reason: 'Spam' });
    await ada.call('DELETE', String(deleted?.url));
    await indexSearch(db, new AbortController().signal);

    const { rows: [{ id: classId }] } = await db.raw(`
        with c as (insert into classes (title, publish, comments, code) values ('Year 5', 'class', true, 'k7pm3xwrd9tz') returning id),
        k as (insert into class_people (class_id, user_id, role) select c.id, p.id, p.role from c, (values (?::bigint, 'teacher'), (?::bigint, 'pupil')) as p (id, role))
        select id::text as id from c`, [ada.id, reader.id]);
    await db.raw(`insert into class_projects (class_id, project_id, audience) select ?, id, 'class' from projects where user_id = ? and id <> all(?)`, [classId, ada.id, hidden]);
    const { paths } = JSON.parse(readFileSync('openapi.json', 'utf8'));
    const isList = ({ get }: { get?: { parameters?: { $ref: string }[] } }): boolean => get?.parameters?.some(({ $ref }) => $ref.includes('/query.after')) === true;
    // Not those of moderators, who may read all, nor of what was sent to a webhook, in which no project is looked up, nor of works, which test/classes/leaks.test.ts has.
    const lists = routes.filter((row) => row.method === 'GET' && isList(paths[row.path] ?? {}) && ownersStatus(row) !== 403 && !/\{(?:webhook|assignment)\}/.test(row.path));
    expect(lists.length).to.be.at.least(14);
    const { rows } = await db.raw(`select id::text, floor(extract(epoch from created_at) * 1000)::float8 as created, floor(extract(epoch from updated_at) * 1000)::float8 as updated from projects where id = any(?)`, [hidden]);
    const cursorsOf = (path: string): string[] => rows.flatMap(({ id, created, updated }: { id: string; created: number; updated: number }) => {
        // Only two lists are in the order of a rank before anything else.
        return [0, 2, created, updated].flatMap((time) => (/language|search/.test(path) ? [0, 2] : [0]).map((rank) => cursorOf(rank, time, id)));
    });

    const answers = async (): Promise<Map<string, object>> => {
        const all = new Map<string, object>();
        for (const { path, query = '', scope } of lists) {
            const isOwn = scope !== '' && !path.includes('{project}');
            const ids: Readonly<Record<string, string>> = { user: isOwn ? reader.id : ada.id, project: first.id, collection: collection.id, language: 'en', tag: 'art', class_id: classId };
            for (const token of isOwn || path.endsWith('/history') ? [reader.token] : [undefined, reader.token]) {
                for (const after of cursorsOf(path)) {
                    const url = `${pathWith(path, ids)}?count=2&after=${after}${query.replace('?', '&')}`;
                    const answer: Answer = await server.call('GET', url, undefined, { token });
                    expect(answer.status, `${url}: ${answer.text.slice(0, 200)}`).to.equal(200);
                    const { 'x-request-id': _id, date: _date, ...headers } = answer.headers;
                    // A token's hour of use is written some seconds after the request, and the next hour may begin at any time.
                    const text = answer.text.replace(/"last_used_at":(?:null|"[^"]*")/g, '"last_used_at":null');
                    all.set(`${url} ${token === undefined ? 'as a guest' : 'as the reader'}`, { headers: { ...headers, 'content-length': text.length }, text });
                }
            }
        }

        return all;
    };

    const withHidden = await answers();
    expect([...withHidden].filter(([, answer]) => JSON.stringify(answer).includes(String(made[5]?.id))).length).to.be.above(30);
    await db.raw('delete from projects where id = any(?)', [hidden]);
    for (const [what, answer] of await answers()) {
        expect(withHidden.get(what), what).to.equal(answer);
    }

    await server.stop();
});
