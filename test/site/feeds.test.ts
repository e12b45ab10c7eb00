import { expect } from '@hapi/code';
import { script } from '@hapi/lab';
import { SaxesParser } from 'saxes';

import { readConfig } from '../../src/config/index';
import { build } from '../support/program';
import { startTestServer } from '../support/server';
import type { Actor, Answer, TestServer } from '../support/server';

export const lab = script();

const SHA = 'b'.repeat(64);

interface JsonFeed {
    title: string;
    description?: string;
    items: { id: string; url: string; title: string; content_html: string }[];
}

interface Node {
    name: string;
    attributes: Record<string, string>;
    text: string;
    children: Node[];
}

/** Reads XML strictly: it throws on what is not well-formed. */
function readXml(xml: string): Node {
    const root: Node = { name: '', attributes: {}, text: '', children: [] };
    const path = [root];
    const parser = new SaxesParser();
    const add = (text: string): void => {
        const node = path.at(-1);
        if (node !== undefined) {
            node.text += text;
        }
    };

    parser.on('error', (error) => {
        throw error;
    });
    parser.on('opentag', ({ name, attributes }) => {
        const node: Node = { name, attributes: Object.fromEntries(Object.entries(attributes).map(([key, value]) => [key, String(value)])), text: '', children: [] };
        path.at(-1)?.children.push(node);
        path.push(node);
    });
    parser.on('closetag', () => path.pop());
    parser.on('text', add);
    parser.on('cdata', add);
    parser.write(xml).close();
    return root.children[0] ?? root;
}

const allOf = (node: Node | undefined, name: string): Node[] => node?.children.filter((child) => child.name === name) ?? [];
const textOf = (node: Node | undefined, name: string): string | undefined => allOf(node, name)[0]?.text.trim();

lab.experiment('Feeds', () => {

    let server: TestServer;
    let ana: Actor;
    let moderator: Actor;
    let collection: string;

    const call = (actor: Actor, method: string, path: string, body?: object): Promise<Answer> => server.call(method, path, body, { token: actor.token });

    const make = async (fields: object): Promise<string> => {
        const id: string = (await call(ana, 'POST', `/users/${ana.id}/projects`, fields)).body.project.id;
        await call(moderator, 'PATCH', `/users/${ana.id}/projects/${id}/feature`, { featured: true });
        await call(ana, 'PUT', `/users/${ana.id}/collections/${collection}/projects/${id}`);
        return id;
    };

    const places = (): string[] => ['/discover', '/tags/B%C3%A4ume', '/u/aNA', `/c/${collection}`];

    const atom = async (place: string): Promise<Node> => readXml((await server.call('GET', `${place}/feed.atom`)).text);

    const json = async (place: string, query = ''): Promise<JsonFeed> => JSON.parse((await server.call('GET', `${place}/feed.json${query}`)).text);

    const titles = async (place: string): Promise<string[][]> => {
        const { items } = await json(place);
        return [allOf(await atom(place), 'entry').map((entry) => String(textOf(entry, 'title'))), items.map(({ title }) => title)];
    };

    lab.before(async () => {
        await build();
        server = await startTestServer({ config: { site: readConfig({ SITE_NAME: 'Class 4b' }).site, listMaxAge: 1000 } });
    });

    lab.beforeEach(async () => {
        await server.database.db.raw('delete from users');
        await server.database.db('assets').insert({ hash: SHA, type: 'image/png', size: 1 }).onConflict().ignore();
        ana = await server.open('Ana');
        moderator = await server.open('Mo', { moderator: true });
        collection = (await call(ana, 'POST', `/users/${ana.id}/collections`, { title: 'Trees & <more>', description: 'About it', visibility: 'unlisted' })).body.collection.id;
    });

    lab.after(() => server.stop());

    lab.test('are well-formed and complete as Atom, whatever authors write', async () => {
        const title = 'A ]]> <script>alert("1")</script> &amp; \u0001\uFFFE😀';
        const id = await make({ title, description: 'One <b> & two. #bäume #second', thumbnail: { 320: `https://elsewhere.example/assets/${SHA}` } });
        for (const place of places()) {
            const { status, headers, text } = await server.call('GET', `${place}/feed.atom`);
            expect(status, place).to.equal(200);
            expect(headers, place).to.include({ 'content-type': 'application/atom+xml; charset=utf-8', 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff' });
            expect(headers['content-security-policy']).to.contain(`default-src 'none'; sandbox`);
            const feed = readXml(text);
            expect(feed.attributes.xmlns).to.equal('http://www.w3.org/2005/Atom');
            const { origin } = new URL(String(textOf(feed, 'id')));
            const [entry, ...others] = allOf(feed, 'entry');
            expect(others, place).to.equal([]);
            expect(textOf(entry, 'title')).to.equal('A ]]> <script>alert("1")</script> &amp; 😀');
            expect(textOf(entry, 'id')).to.equal(`${origin}/p/${id}`);
            expect(textOf(allOf(entry, 'author')[0], 'name')).to.equal('Ana');
            expect(textOf(allOf(entry, 'author')[0], 'uri')).to.equal(`${origin}/u/Ana`);
            expect(allOf(entry, 'category').map(({ attributes }) => attributes.term)).to.equal(['bäume', 'second']);
            expect(textOf(entry, 'published')).to.match(/^\d{4}-.*Z$/);
            expect(textOf(feed, 'updated')).to.equal(textOf(entry, 'updated'));
            const content = textOf(entry, 'content');
            expect(content).to.contain([`<a href="${origin}/p/${id}">`, `src="${origin}/assets/${SHA}"`, 'One &lt;b> &amp; two.', '&lt;script>']).and.to.not.contain('<script');
            const links = Object.fromEntries(allOf(feed, 'link').map(({ attributes: { rel = '', href = '' } }) => [rel, href]));
            expect(String(links.self)).to.startWith(origin).and.endWith('/feed.atom');
            expect((await server.call('GET', String(links.self).slice(origin.length))).status).to.equal(200);
            const page = await server.call('GET', String(links.alternate).slice(origin.length));
            expect(page.headers['content-type']).to.equal('text/html; charset=utf-8');
            expect(page.text).to.contain([`<link rel="alternate" type="application/atom+xml" href="${String(links.self).slice(origin.length)}"`, 'type="application/feed+json"']);
        }
    });

    lab.test('have words for a title of which nothing is to be seen, as cards and pages do', async () => {
        for (const title of ['\t', '\u200b\u3164']) {
            const id = await make({ title, description: '#bäume' });
            expect(await titles('/tags/b%C3%A4ume'), title).to.equal([['Untitled'], ['Untitled']]);
            expect((await server.call('GET', '/tags/b%C3%A4ume?lang=es')).text).to.contain('<span class="title"><bdi>Sin título</bdi></span>');
            expect((await server.call('GET', `/p/${id}?lang=ar`)).text).to.contain(['<title>بلا عنوان · Class 4b</title>', '<h1><bdi>بلا عنوان</bdi></h1>']);
            expect((await server.call('GET', `/p/${id}/embed`)).text).to.contain('<bdi>Untitled</bdi>');
            await call(ana, 'DELETE', `/users/${ana.id}/projects/${id}`);
        }
    });

    lab.test('are JSON Feed 1.1, too', async () => {
        const id = await make({ title: 'Oak', description: 'In autumn. #bäume', thumbnail: { 320: `https://elsewhere.example/assets/${SHA}` } });
        const plain = await make({ title: 'Ash <1>', description: '#bäume' });
        for (const place of places()) {
            const { headers, text } = await server.call('GET', `${place}/feed.json`);
            const body: JsonFeed = JSON.parse(text);
            expect(headers['content-type'], place).to.equal('application/feed+json; charset=utf-8');
            const origin = String(/"feed_url":"(https?:\/\/[^/]*)\//.exec(text)?.[1]);
            expect(body).to.include({ version: 'https://jsonfeed.org/version/1.1' });
            expect(body.items.map((item) => item.id).sort()).to.equal([`${origin}/p/${id}`, `${origin}/p/${plain}`].sort());
            const item = body.items.find((one) => one.url === `${origin}/p/${id}`);
            expect(item).to.include({ title: 'Oak', image: `${origin}/assets/${SHA}`, tags: ['bäume'], authors: [{ name: 'Ana', url: `${origin}/u/Ana` }] });
            expect(item?.content_html).to.contain('In autumn.');
            expect(body.items.find((one) => one.url === `${origin}/p/${plain}`)?.content_html).to.contain('Ash &lt;1>');
            expect((await server.call('GET', `${place}/feed.json`)).text).to.equal(text);
        }

        const [discover, tag, person, list] = await Promise.all(places().map((place) => json(place)));
        expect([discover?.title, tag?.title, person?.title, list?.title]).to.equal(['Featured · Class 4b', '#bäume · Class 4b', 'Ana · Class 4b', 'Trees & <more> · Class 4b']);
        expect(list?.description).to.equal('About it');
        expect((await json('/discover', '?lang=pt')).title).to.equal('Em destaque · Class 4b');
        expect(textOf(await atom(`/c/${collection}`), 'subtitle')).to.equal('About it');
    });

    lab.test('say 304 to readers that have them, and say what is new at once', async () => {
        const id = await make({ title: 'Oak', description: '#bäume' });
        for (const place of places()) {
            for (const ending of ['atom', 'json']) {
                const path = `${place}/feed.${ending}`;
                const { headers } = await server.call('GET', path);
                const tag = String(headers.etag);
                expect(await server.call('GET', path, undefined, { headers: { 'if-none-match': tag } }), path).to.include({ status: 304, text: '' });
                expect((await server.call('HEAD', path)).headers.etag, path).to.equal(tag);
                await server.call('POST', `/view-project/${id}`, undefined, { headers: { 'user-agent': path } });
                expect((await server.call('GET', path)).headers.etag, path).to.equal(tag);
                await call(ana, 'PATCH', `/users/${ana.id}/projects/${id}`, { title: `Oak of ${path}` });
                const changed = await server.call('GET', path, undefined, { headers: { 'if-none-match': tag } });
                expect(changed.status, path).to.equal(200);
                expect(changed.text, path).to.contain(`Oak of ${path}`);
            }
        }

        const path = `/c/${collection}/feed.atom`;
        const { headers } = await server.call('GET', path);
        await call(ana, 'PATCH', `/users/${ana.id}/collections/${collection}`, { title: 'Woods' });
        expect((await server.call('GET', path, undefined, { headers: { 'if-none-match': String(headers.etag) } })).text).to.contain('Woods');
    });

    const hidden: Record<string, (id: string) => Promise<Answer>> = {
        'is made unlisted': (id) => call(ana, 'PATCH', `/users/${ana.id}/projects/${id}`, { visibility: 'unlisted' }),
        'is made private': (id) => call(ana, 'PATCH', `/users/${ana.id}/projects/${id}`, { visibility: 'private' }),
        'is held by moderators': (id) => call(moderator, 'PUT', `/moderation/projects/${id}/hold`, { reason: 'Spam' }),
        'is deleted': (id) => call(ana, 'DELETE', `/users/${ana.id}/projects/${id}`)
    };

    for (const [how, hide] of Object.entries(hidden)) {
        lab.test(`are at once without a project that ${how}`, async () => {
            await make({ title: 'Stays', description: '#bäume' });
            const id = await make({ title: 'Secret', description: '#bäume' });
            for (const place of places()) {
                expect((await titles(place)).map((some) => some.includes('Secret')), place).to.equal([true, true]);
            }

            expect((await hide(id)).status).to.equal(200);
            for (const place of places()) {
                expect(await titles(place), place).to.equal([['Stays'], ['Stays']]);
            }
        });
    }

    lab.test('are not of an account that a class manages before a project of it is public, nor is its page', async () => {
        const { id, username, token } = await server.open();
        await server.database.db.raw(`with c as (insert into classes (title, publish, comments, code) values ('x', 'everybody', true, 'k7pm3xwrd9tz') returning id) update users set publish = 'everybody', managed_by = c.id from c where users.id = ?`, [id]);
        const statuses = async (name: string): Promise<number[]> => [(await server.call('GET', `/u/${name}`)).status, (await server.call('GET', `/u/${name}/feed.atom`)).status];
        expect(await statuses(username)).to.equal([404, 404]);
        await server.call('POST', `/users/${id}/projects`, { title: 'Shown', visibility: 'public' }, { token });
        expect(await statuses(username)).to.equal([200, 200]);
    });

    lab.test('are of who is there, and of what everybody may see', async () => {
        for (const path of ['/u/nobody', '/c/999', '/c/x', `/tags/${'x'.repeat(1001)}`]) {
            for (const ending of ['atom', 'json']) {
                expect((await server.call('GET', `${path}/feed.${ending}`)).status, path).to.equal(404);
            }
        }

        await call(ana, 'PATCH', `/users/${ana.id}/collections/${collection}`, { visibility: 'private' });
        expect((await server.call('GET', `/c/${collection}/feed.atom`, undefined, { token: ana.token })).status).to.equal(404);
        expect(await titles('/u/ana')).to.equal([[], []]);
        const id = await make({ title: 'No words' });
        expect((await json('/u/ana')).items[0]?.content_html).to.match(new RegExp(`^<div><p><a href="[^"]*/p/${id}">No words</a></p></div>$`));
        expect(textOf(await atom('/tags/none'), 'updated')).to.equal('1970-01-01T00:00:00.000Z');
    });

    lab.test('have thirty entries at most, the newest ones', async () => {
        for (let number = 1; number <= 31; ++number) {
            await make({ title: `Tree ${number}`, description: '#bäume' });
        }

        for (const place of ['/discover', '/tags/b%C3%A4ume', '/u/Ana']) {
            const [first = [], second = []] = await titles(place);
            expect(first.length, place).to.equal(30);
            expect(first[0]).to.equal('Tree 31');
            expect(second).to.equal(first);
        }
    });
});
