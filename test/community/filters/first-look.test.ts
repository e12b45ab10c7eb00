import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { storeLookDays } from '../../../src/community/filters';
import { openAuthor } from '../../support/authoring';
import type { Author, MadeProject } from '../../support/authoring';
import { startTestServer } from '../../support/server';
import type { Actor, Answer, TestServer } from '../../support/server';

export const lab = script();
const { after, before, describe, it } = lab;

describe('projects of new accounts', () => {
    let test: TestServer;
    let author: Author;
    let guard: Actor;

    before(async () => {
        test = await startTestServer();
        author = await openAuthor(test);
        guard = await test.open(undefined, { moderator: true });
        await storeLookDays(test.database.db, 7);
    });

    after(async () => {
        await storeLookDays(test.database.db, null);
        await test.stop();
    });

    const visibilityOf = async ({ url }: MadeProject): Promise<string> => (await author.call('GET', url)).body.project.visibility;
    const isListed = async ({ id }: MadeProject): Promise<boolean> => (await test.call('GET', `/users/${author.id}/projects?count=100`)).body.projects.some((one: { id: string }) => one.id === id);
    const isQueued = async ({ id }: MadeProject): Promise<boolean> => {
        return (await test.call('GET', '/moderation/reports', undefined, { token: guard.token })).body.reports.some((one: { project: { id: string } }) => one.project.id === id);
    };

    const decide = ({ id }: MadeProject, state: string): Promise<Answer> => {
        return test.call('PATCH', `/moderation/reports/${id}`, { state, note: 'Looked' }, { token: guard.token });
    };

    it('are in no list until a moderator has looked, and can be read by whoever has the link', async () => {
        const project = await author.project({ title: 'My first' });
        expect([await visibilityOf(project), await isListed(project), await isQueued(project)]).to.equal(['unlisted', false, true]);
        expect((await test.call('GET', project.url)).status).to.equal(200);
        expect((await author.call('PATCH', project.url, { visibility: 'public', title: 'Please' })).body.project).to.include({
            visibility: 'unlisted', title: 'Please'
        });
        expect((await decide(project, 'kept')).status).to.equal(200);
        expect([await visibilityOf(project), await isListed(project), await isQueued(project)]).to.equal(['public', true, false]);
        await author.call('PATCH', project.url, { visibility: 'private' });
        await author.call('PATCH', project.url, { visibility: 'public' });
        expect([await visibilityOf(project), await isListed(project), await isQueued(project)]).to.equal(['public', true, false]);
    });

    it('wait when a private one becomes public, and stay as little visible as their author wants', async () => {
        const project = await author.project({ visibility: 'private' });
        expect(await isQueued(project)).to.be.false();
        await author.call('PATCH', project.url, { visibility: 'public' });
        expect([await visibilityOf(project), await isQueued(project)]).to.equal(['unlisted', true]);
        await author.call('PATCH', project.url, { visibility: 'private' });
        expect((await decide(project, 'kept')).status).to.equal(200);
        expect(await visibilityOf(project)).to.equal('private');
        const held = await author.project();
        expect((await decide(held, 'held')).status).to.equal(200);
        expect(await visibilityOf(held)).to.equal('unlisted');
        const own = await author.project({ visibility: 'unlisted' });
        expect(await isQueued(own)).to.be.false();
    });

    it('are remixes too', async () => {
        const source = await author.project({ visibility: 'unlisted' });
        const remix = await author.remix(source);
        expect(['unlisted', 'private']).to.include(remix.thing.visibility);
    });

    it('are listed at once when the account is older, or a moderator\'s, or nobody asks for it', async () => {
        const moderator = await test.call('POST', `/users/${guard.id}/projects`, { title: 'Rules' }, { token: guard.token });
        expect(moderator.body.project.visibility).to.equal('public');
        await test.database.db('users').where({ id: author.id }).update({ created_at: test.database.db.raw(`now() - interval '8 days'`) });
        expect(await visibilityOf(await author.project())).to.equal('public');
        await test.database.db('users').where({ id: author.id }).update({ created_at: test.database.db.raw('now()') });
        await storeLookDays(test.database.db, null);
        expect(await visibilityOf(await author.project())).to.equal('public');
    });
});
