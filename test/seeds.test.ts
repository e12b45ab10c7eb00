import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { pino } from 'pino';

import { readConfig } from '../src/config/index';
import { seedDemo } from '../src/operations/process/demo';
import { inProcesses } from './support/file-pools';
import { startTestServer } from './support/server';
import type { TestServer } from './support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

interface Element {
    type: string;
    attributes: Record<string, string>;
}

interface Project {
    id: string;
    user_id: string;
    title: string;
    description: string;
    remixed_from: string | null;
    featured: boolean;
    author: { locale: { language: string } };
}

describe('the demo community', () => {
    let test: TestServer;
    const files = inProcesses();
    let projects: Project[];
    let users: { username: string; password: string }[];
    const elements: Element[] = [];
    const pages = new Map<string, { project: string; user: string }>();

    before(async () => {
        test = await startTestServer();
        // Its users have passwords, also with another provider.
        const config = readConfig({ AUTH_PROVIDER: 'jwt', AUTH_ISSUER: 'https://id.example', AUTH_AUDIENCE: 'pages', DATA_DIR: join(test.assets.incoming, '../..') });
        const report = await seedDemo({ config, db: test.database.db, logger: pino({ level: 'silent' }), files });
        expect(report).to.include({ projects: 12, remixes: 2, classes: 1 });
        ({ users } = report);
        expect(report.featured).to.be.above(3);

        ({ projects } = (await test.call('GET', '/projects?count=100')).body);
        for (const { id, user_id: user } of projects) {
            const { body } = await test.call('GET', `/users/${user}/projects/${id}/pages`);
            for (const page of body.pages) {
                pages.set(page.id, { project: id, user });
                elements.push(...page.elements);
            }
        }
    });

    after(() => test.stop());

    it('has at least six projects, in several languages and directions of writing', () => {
        const originals = projects.filter(({ remixed_from: source }) => source === null);
        expect(originals.length).to.be.at.least(6);
        expect(new Set(projects.map(({ author }) => author.locale.language)).size).to.be.at.least(5);

        const words = [...projects.flatMap(({ title, description }) => [title, description]), ...elements.map(({ attributes }) => attributes.text ?? '')].join('\n');
        for (const script of [/\p{Script=Latin}{4}/u, /\p{Script=Cyrillic}{4}/u, /\p{Script=Arabic}{4}/u, /\p{Script=Hiragana}/u, /\p{Script=Devanagari}{2}/u, /\p{Emoji_Presentation}/u]) {
            expect(words).to.match(script);
        }

        expect(elements.some(({ attributes }) => attributes.dir === 'rtl')).to.be.true();
        expect(elements.some(({ type, attributes }) => type === 'image' && /^asset:[0-9a-f]{64}$/.test(attributes.src ?? ''))).to.be.true();
    });

    it('fills the lists of discovery', async () => {
        const featured = await test.call('GET', '/discover?count=100');
        expect(featured.body.projects.length).to.equal(projects.filter((project) => project.featured).length);
        const tags = await test.call('GET', '/featured-tags');
        expect(Number(tags.body.featured.length)).to.be.above(3);
        const tagged = await test.call('GET', `/projects/tagged/${encodeURIComponent(tags.body.featured[0])}`);
        expect(Number(tagged.body.projects.length)).to.be.above(0);
    });

    it('has links that lead to existing pages', () => {
        const links = elements.filter(({ type }) => type === 'link').map(({ attributes }) => attributes);
        const inside = links.filter(({ targetPageId }) => targetPageId);
        expect(inside.length).to.be.above(20);
        for (const link of inside) {
            const page = pages.get(String(link.targetPageId));
            expect(page, JSON.stringify(link)).to.exist();
            expect(link.targetProjectId).to.equal(page?.project);
            expect(link.targetUserId).to.equal(page?.user);
        }
    });

    it('has a class, with a teacher, pupils, something in it, an assignment and works at different points', async () => {
        const signIn = async (name: string): Promise<{ token: string }> => ({ token: (await test.call('POST', '/tokens', users.find(({ username }) => username === name))).body.token.access_token });
        const teacher = await signIn('meera');
        const { body: { classes: [{ class: { id }, role }] } } = await test.call('GET', '/users/me/classes', undefined, teacher);
        expect(role).to.equal('teacher');
        const { body: { pupils } } = await test.call('GET', `/classes/${id}`, undefined, teacher);
        expect(pupils.map(({ name }: { name: string | null }) => name)).to.equal(['Ines', 'Tom', 'Zara', null]);
        const { body: { assignments: [{ assignment, counts }] } } = await test.call('GET', `/classes/${id}/assignments`, undefined, teacher);
        expect(counts).to.equal({ started: 1, handed_in: 1, returned: 1, accepted: 0, late: 0 });
        const shown = async (token: { token: string }): Promise<number> => (await test.call('GET', `/classes/${id}/projects`, undefined, token)).body.projects.length;
        expect(await shown(teacher)).to.equal(4);
        // The accounts that the class has made can be used.
        const ines = await signIn(pupils[0].user.username);
        expect(await shown(ines)).to.equal(2);
        const { body: { works: [{ work }] } } = await test.call('GET', `/classes/${id}/assignments/${assignment.id}/work`, undefined, ines);
        expect(work).to.include({ state: 'returned', withdrawn: false });
        expect(work.note).to.not.be.empty();
    });

    it('leaves nothing half done when it fails', async () => {
        const { db } = test.database;
        await expect(seedDemo({ config: readConfig({ DATA_DIR: join(test.assets.incoming, '../..') }), db, logger: pino({ level: 'fatal' }), files })).to.reject(/POST \/users returned 409/);
        const { rows } = await db.raw('select count(*)::int as users from users');
        expect(rows[0].users).to.equal(11);
    });

    it('does not use the name in the example of POST /users', async () => {
        const { paths } = JSON.parse(readFileSync('openapi.json', 'utf8'));
        const { content } = paths['/users'].post.requestBody;
        const { username: { examples: [username] }, password: { examples: [password] } } = content['application/json'].schema.properties;
        const { status, body } = await test.call('POST', '/users', { username, password });
        expect([status, body.user.username]).to.equal([201, username]);
    });
});
