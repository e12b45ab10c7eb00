import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { checkProjects } from '../../../src/community/filters/jobs';
import { holdForLook } from '../../../src/community/moderation/automatic';
import { readBlockedWords } from '../../../src/community/filters';
import type { BlockedWords } from '../../../src/community/filters';
import { openAuthor } from '../../support/authoring';
import type { Author } from '../../support/authoring';
import { startTestServer } from '../../support/server';
import type { Actor, TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

describe('blocked words', () => {
    let folder: string;
    let server: TestServer;
    let words: BlockedWords;
    let author: Author;
    let guard: Actor;

    before(async () => {
        folder = await mkdtemp(join(tmpdir(), 'pagewright-words-'));
        const path = join(folder, 'words.txt');
        await writeFile(path, 'stoat\nweasel\n笨蛋\n');
        words = await readBlockedWords(path);
        server = await startTestServer({ config: { filters: { words: path, lookDays: null }, teachers: 'open' } });
        author = await openAuthor(server, 'writer');
        guard = await server.open('guard', { moderator: true });
    });

    after(async () => {
        await server.stop();
        await rm(folder, { recursive: true });
    });

    const call = (method: string, url: string, body?: unknown, { token }: { token: string } = author): ReturnType<TestServer['call']> => {
        return server.call(method, url, body, { token });
    };

    const check = (by = words): Promise<number> => checkProjects({ db: server.database.db, words: by, holdForLook }, new AbortController().signal);

    /** A new project, with a text on its page. */
    const make = async (fields: object, text = 'nothing'): Promise<{ id: string; element: string }> => {
        const project = await author.project(fields);
        const element = await author.element(project.page, { attributes: { text, more: { deep: ['data:image/png;base64,stoat/weasel+stoat='] } } });
        return { id: project.id, element: element.url };
    };

    const stateOf = async (id: string): Promise<{ open: boolean; held: string | null; queued: boolean }> => {
        const [guest, own, queue] = [await server.call('GET', `/projects/${id}`), await call('GET', `/projects/${id}`), await call('GET', '/moderation/reports', undefined, guard)];
        return { open: guest.status === 200, held: own.body.project.held?.reason ?? null, queued: queue.body.reports.some((one: { project: { id: string } }) => one.project.id === id) };
    };

    it('are not in usernames', async () => {
        const opened = await server.call('POST', '/users', { username: 'the-StOat', password: 'correct horse' });
        expect([opened.status, opened.body.code]).to.equal([409, 'username_blocked']);
        expect((await server.call('POST', '/users', { username: 'ｗeａsel_9', password: 'correct horse' })).body.code).to.equal('username_blocked');
        expect((await server.call('POST', '/users', { username: '大笨蛋', password: 'correct horse' })).body.code).to.equal('username_blocked');
        const renamed = await call('PATCH', `/users/${author.id}`, { username: 'w3asel' });
        expect([renamed.status, renamed.body.code]).to.equal([409, 'username_blocked']);
        expect((await call('PATCH', `/users/${author.id}`, { username: 'weasels' })).status).to.equal(200);
    });

    it('hold what everybody can see until a moderator has looked, wherever they are', async () => {
        const made = [
            await make({ title: 'The stoat' }), await make({ description: 'Of a STOAT' }), await make({}, 'this 笨蛋 here'), await make({ visibility: 'unlisted' }, 'my weasel'),
            await make({ visibility: 'private' }, 'my weasel'), await make({}, 'stoats and weasels'),
            await make({}, 'data: my stoat'), await make({}, 'asset:weasel')
        ];
        expect(await check()).to.equal(6);
        const reason = (word: string): string => `It has words that are blocked here: ${word}. A moderator looks at it.`;
        const states = await Promise.all(made.map(({ id }) => stateOf(id)));
        expect(states.map(({ held }) => held)).to.equal([reason('stoat'), reason('stoat'), reason('笨蛋'), reason('weasel'), null, null, reason('stoat'), reason('weasel')]);
        expect(states.map(({ open }) => open)).to.equal([false, false, false, false, false, true, false, false]);
        expect(states.map(({ queued }) => queued)).to.equal([true, true, true, true, false, false, true, true]);
        expect(await check()).to.equal(0);
    });

    it('hold a private project once others can see it', async () => {
        const { id } = await make({ visibility: 'private' }, 'my weasel');
        expect(await check()).to.equal(0);
        await call('PATCH', `/users/${author.id}/projects/${id}`, { visibility: 'public' });
        expect(await check()).to.equal(1);
        expect((await stateOf(id)).open).to.be.false();
    });

    it('hold it again for other words alone, after a moderator has kept or released it', async () => {
        const { id, element } = await make({}, 'my weasel');
        const { id: other } = await make({}, 'my weasel');
        expect(await check()).to.equal(2);
        const kept = await call('PATCH', `/moderation/reports/${id}`, { state: 'kept', note: 'A tale of animals' }, guard);
        expect([kept.status, kept.body.report.count]).to.equal([200, 0]);
        expect(await stateOf(id)).to.equal({ open: true, held: null, queued: false });
        expect((await call('DELETE', `/moderation/projects/${other}/hold`, {}, guard)).status).to.equal(200);
        expect(await stateOf(other)).to.equal({ open: true, held: null, queued: false });
        await call('PATCH', element, { attributes: { text: 'still my weasel' } });
        expect(await check()).to.equal(0);
        await call('PATCH', element, { attributes: { text: 'my weasel and my stoat' } });
        expect(await check()).to.equal(1);
        expect((await stateOf(id)).held).to.contain('here: stoat.');
    });

    it('are in what a moderator holds until one keeps it', async () => {
        const { id } = await make({}, 'my weasel');
        await check();
        await call('PATCH', `/moderation/reports/${id}`, { state: 'held', note: 'Not here' }, guard);
        expect((await stateOf(id)).held).to.equal('Not here');
        const reader = await server.open();
        expect((await call('GET', `/projects/${id}`, undefined, reader)).status).to.equal(404);
        await server.database.db('report_queue').where({ project_id: id }).update({ open: true });
        expect((await call('PATCH', `/moderation/reports/${id}`, { state: 'kept', note: 'Again' }, guard)).status).to.equal(200);
        expect((await call('GET', `/projects/${id}`, undefined, reader)).status).to.equal(200);
    });

    it('look at everything again when the words change, and at nothing twice', async () => {
        const { id } = await make({}, 'an otter');
        expect(await check()).to.equal(0);
        const path = join(folder, 'more.txt');
        await writeFile(path, 'stoat\nweasel\notter\n笨蛋');
        await server.database.db('project_changes').update({ at: '2026-01-01' });
        expect(await check(await readBlockedWords(path))).to.equal(1);
        expect((await stateOf(id)).open).to.be.false();
        expect(await check(await readBlockedWords(path))).to.equal(0);
        const { rows: [row] } = await server.database.db.raw(`select version, (select count(*)::int from filter_checks where version <> $$${'x'}$$) > 0 as known from filter_progress`);
        expect(row.known).to.be.true();
    });

    it('are not in the names of pupils', async () => {
        const { rows: [{ n }] } = await server.database.db.raw('select count(*)::int as n from users where username ~* \'stoat|weasel$\'');
        expect(n).to.equal(0);
    });
});
