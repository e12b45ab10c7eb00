import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { index } from '../../../src/community/search/indexing';
import { openAuthor } from '../../support/authoring';
import type { Author } from '../../support/authoring';
import { startTestServer } from '../../support/server';
import type { TestServer } from '../../support/server';
import { longestStep } from '../../support/steps';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

/** Milliseconds of processor time of a step. It was 4,700 to 5,000 before there were small steps. */
const MOST_OF_STEP = 50;

describe('the index of the search', () => {
    let server: TestServer;
    let author: Author;

    before(async () => {
        server = await startTestServer();
        author = await openAuthor(server, 'many_words');
    });

    after(() => server.stop());

    const step = (): Promise<number> => longestStep(() => index(server.database.db, new AbortController().signal));

    const found = async (query: string): Promise<number> => (await server.call('GET', `/search?count=100&${query}`)).body.projects.length;

    it('is made in small steps, also of letters that are 18 when they are folded, and if somebody with many projects changes their name or language', { timeout: 120_000 }, async () => {
        const { db } = server.database;
        await db.raw(`insert into projects (user_id, version, title, description) select ?, '1', repeat('ﷺ', 240) || n, repeat('ﷺ', 1000) from generate_series(1, 3000) n`, [author.id]);
        expect(await step(), 'new projects').to.be.below(MOST_OF_STEP);
        expect(await found('q=many_words')).to.equal(100);
        await author.call('PATCH', `/users/${author.id}`, { language: 'ar' });
        expect(await step(), 'language').to.be.below(MOST_OF_STEP);
        expect([await found(`q=${encodeURIComponent('صلى')}&language=ar`), await found(`q=${encodeURIComponent('صلى')}&language=en`)]).to.equal([100, 0]);
        await author.call('PATCH', `/users/${author.id}`, { username: 'few_words' });
        expect(await step(), 'name').to.be.below(MOST_OF_STEP);
        expect([await found('q=few_words'), await found('q=many_words'), await found(`q=${encodeURIComponent('صلى')}&author=few_words`)]).to.equal([100, 0, 100]);
        const { rows } = await db.raw('select count(*)::int as n from search_authors');
        expect(rows[0].n).to.equal(0);
    });
});
