import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { index } from '../../../src/community/search/jobs';
import { openAuthor } from '../../support/authoring';
import type { Author } from '../../support/authoring';
import { startTestServer } from '../../support/server';
import type { TestServer } from '../../support/server';
import { expectSmallSteps } from '../../support/steps';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

/** Milliseconds of processor time of a step. It was some 4,700 for 3,000 projects before there were small steps. */
const MAX_OF_STEP = 50;

/** Three transactions of the index. */
const PROJECTS = 300;

describe('the index of the search', () => {
    let server: TestServer;
    let author: Author;

    before(async () => {
        server = await startTestServer();
        author = await openAuthor(server, 'many_words');
    });

    after(() => server.stop());

    /** Changes something, and brings the index up to date. */
    const inSteps = (change: () => Promise<unknown>, what: string): Promise<void> => expectSmallSteps(MAX_OF_STEP, async () => {
        await change();
        await index(server.database.db, new AbortController().signal);
    }, what);

    /** Counts what is found, page by page: these projects are long. */
    const found = async (query: string): Promise<number> => {
        let count = 0;
        for (let next: string | null = ''; next !== null;) {
            const { body } = await server.call('GET', `/search?count=100&${query}${next}`);
            count += body.projects.length;
            next = body.next && `&after=${body.next}`;
        }

        return count;
    };

    it('is made in small steps, also of letters that are 18 when they are folded, and if somebody with many projects changes their name or language', async () => {
        const { db } = server.database;
        const insert = `insert into projects (user_id, version, title, description) select ?, '1', repeat('ﷺ', 240) || n, repeat('ﷺ', 1000) from generate_series(1, ${PROJECTS}) n`;
        await inSteps(() => db.raw(insert, [author.id]), 'new projects');
        expect(await found('q=many_words')).to.equal(PROJECTS);

        const word = `q=${encodeURIComponent('صلى')}`;
        let [language, other] = ['en', 'ar'];
        await inSteps(() => {
            [language, other] = [other, language];
            return author.call('PATCH', `/users/${author.id}`, { language });
        }, 'language');
        expect([await found(`${word}&language=${language}`), await found(`${word}&language=${other}`)]).to.equal([PROJECTS, 0]);

        let name = 'many_words';
        await inSteps(() => {
            name = name === 'few_words' ? 'some_words' : 'few_words';
            return author.call('PATCH', `/users/${author.id}`, { username: name });
        }, 'name');
        expect([await found(`q=${name}`), await found('q=many_words'), await found(`${word}&author=${name}`)]).to.equal([PROJECTS, 0, PROJECTS]);
        const { rows } = await db.raw('select count(*)::int as n from search_authors');
        expect(rows[0].n).to.equal(0);
    });
});
