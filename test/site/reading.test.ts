import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { readConfig } from '../../src/config/index';
import { reportReasons } from '../../src/community/report-reasons';
import { index } from '../../src/community/search/jobs';
import { build } from '../support/program';
import { startTestServer } from '../support/server';
import type { Actor, Answer, TestServer } from '../support/server';

export const lab = script();

const SHA = 'a'.repeat(64);

lab.experiment('The pages to look at', () => {

    let server: TestServer;
    let ana: Actor;

    lab.before(async () => {
        await build();
        server = await startTestServer({ config: { site: readConfig({}).site } });
    });

    lab.beforeEach(async () => {
        await server.database.db.raw('delete from users');
        await server.database.db('assets').insert({ hash: SHA, type: 'image/png', size: 1 }).onConflict().ignore();
        ana = await server.open('Ana');
    });

    lab.after(() => server.stop());

    const read = async (path: string, expected = 200): Promise<string> => {
        const { status, text, headers } = await server.call('GET', path);
        expect(status, path).to.equal(expected);
        expect(headers['content-type'], path).to.equal('text/html; charset=utf-8');
        return text;
    };

    const make = async (fields: object, by = ana): Promise<{ id: string; page: string }> => {
        const { body } = await server.call('POST', `/users/${by.id}/projects`, fields, { token: by.token });
        return { id: body.project.id, page: body.page.id };
    };

    const addPage = async (id: string, x: number, y: number): Promise<string> => (await server.call('POST', `/users/${ana.id}/projects/${id}/pages`, { x, y }, { token: ana.token })).body.page.id;

    const addElement = async (id: string, page: string, element: object): Promise<void> => {
        expect((await server.call('POST', `/users/${ana.id}/projects/${id}/pages/${page}/elements`, element, { token: ana.token })).status).to.equal(201);
    };

    const remix = async (id: string, by: Actor): Promise<string> => (await server.call('POST', `/users/${ana.id}/projects/${id}/remixes`, {}, { token: by.token })).body.project.id;

    lab.test('say that there is nothing yet', async () => {
        expect(await read('/')).to.contain('Make the first one');
        for (const path of ['/browse/new', '/browse/trending', '/browse/featured', '/find?q=a', '/tags/none', '/u/ana']) {
            expect(await read(path), path).to.contain('There are no projects here');
        }
    });

    lab.test('show what is featured, new and trending, with tags', async () => {
        const { id, page } = await make({ title: 'A <garden>', description: '#basil' });
        await make({ title: 'Pictured', thumbnail: { 320: `http://place.example/assets/${SHA}` } });
        await addElement(id, page, { type: 'text', attributes: { text: 'Sow & wait' }, styles: { left: 10 } });
        await server.database.db.raw('update users set moderator = true where id = ?', [ana.id]);
        expect((await server.call('PATCH', `/users/${ana.id}/projects/${id}/feature`, undefined, { token: ana.token })).status).to.equal(200);
        await server.call('POST', `/view-project/${id}`, undefined);

        const text = await read('/');
        expect(text).to.contain(['<h2 id="featured">', '<h2 id="trending">', '<h2 id="new">', `href="/p/${id}"`, 'A &lt;garden>', 'href="/u/Ana"', 'href="/tags/basil"', '1 view ·']);
        expect(text).to.not.contain(['/browse/new']);
        expect(text).to.contain([`src="/assets/${SHA}"`, 'loading="lazy"']);
        expect(await read('/browse/featured')).to.contain('A &lt;garden>');
        await read('/browse/other', 404);
    });

    lab.test('begin with what is in the language of the reader, in each list of the first page', async () => {
        const lucia = await server.open('Lucia', { language: 'es-MX' });
        for (const [by, title] of [[ana, 'Garden'], [lucia, 'Jardín'], [ana, 'Lighthouse']] as const) {
            const { body: { project } } = await server.call('POST', '/users/me/projects', { title }, { token: by.token });
            await server.call('POST', `/view-project/${project.id}`, undefined);
        }

        const titles = async (path: string): Promise<string[]> => [...(await read(path)).split('<h2 id="new">')[1]?.matchAll(/<span class="title"><bdi>([^<]*)</g) ?? []].map(([, title]) => String(title));
        expect(await titles('/?lang=es')).to.equal(['Jardín', 'Lighthouse', 'Garden']);
        expect(await titles('/?lang=en')).to.equal(['Lighthouse', 'Garden', 'Jardín']);
        // How to make a moderator is for whoever runs the place.
        expect(await read('/')).to.contain('<p class="hint for-staff">');
    });

    lab.test('show names in any script, at their own address and in any case, and isolate what is written right to left', async () => {
        const actor = await server.open('Ярослава');
        await server.call('POST', `/users/${actor.id}/projects`, { title: 'Поле' }, { token: actor.token });
        const address = `/u/${encodeURIComponent('Ярослава')}`;
        const text = await read(`/u/${encodeURIComponent('ЯРОСЛАВА')}`);
        expect(text).to.contain(['<bdi>Ярослава</bdi></h1>', `href="${address}"`]);
        expect(await read('/browse/new')).to.contain([`href="${address}"`, '<bdi>Ярослава</bdi>']);
        await read(`/u/${encodeURIComponent('ярослава ')}`, 404);
        expect(await read(`/find?q=${encodeURIComponent('سلمى')}`)).to.contain('\u2068سلمى\u2069');
        expect(await read('/find?q=salma')).to.not.contain('\u2068');
    });

    lab.test('go on page by page', async () => {
        for (let n = 0; n < 25; ++n) {
            await make({ title: `Number ${n}.`, description: '#many' });
        }

        expect(await read('/')).to.contain('href="/browse/new"');
        await index(server.database.db, new AbortController().signal);
        for (const path of ['/browse/new', '/tags/%23MANY', '/u/ANA', '/find?q=number']) {
            const first = await read(path);
            expect(first, path).to.contain('Number 24.').and.to.not.contain('Number 0.');
            const [, next = ''] = /rel="next" href="([^"]*)"/.exec(first) ?? [];
            const second = await read(next.replaceAll('&amp;', '&'));
            expect(second, next).to.contain('Number 0.').and.to.not.contain('Number 24.');
            expect(second).to.not.contain('rel="next"');
        }

        await read('/browse/new?after=x', 404);
        await read('/find?q=%20', 404);
        await read('/u/nobody', 404);
    });

    lab.test('picture a project by its own thumbnail, under each name of the place, but by none of another place, and else by its first letter', async () => {
        const at = async (thumbnail: object): Promise<string> => {
            const { id } = await make({ title: 'Pictured', thumbnail });
            return (await read('/browse/new')).split(`href="/p/${id}"`)[1] ?? '';
        };

        const own = `http://place.example:3000/assets/${SHA}`;
        expect(await at({ 64: `${own}?width=64`, 320: `${own}?width=320` })).to.contain(`src="/assets/${SHA}?width=320"`);
        expect(await at({ 320: `${own}?width=320&height=198` })).to.contain(`src="/assets/${SHA}?width=320"`);
        expect(await at({ 160: own })).to.contain(`src="/assets/${SHA}"`);
        for (const other of [{ 320: `http://other.example/assets/${'b'.repeat(64)}` }, { 320: `http://other.example/${SHA}` }, { 320: `${own}/../../p/1` }]) {
            const text = await at(other);
            expect(text.slice(0, 200)).to.contain('blank').and.to.contain('>P</div>');
            expect(text.split('</a>')[0]).to.not.contain(['other.example', '<img']);
        }

        for (const [title, letter] of [['🇫🇷 Paris', '🇫🇷'], ['👩‍🚀 in space', '👩‍🚀'], ['की बात', 'की']]) {
            await make({ title });
            expect((await read('/browse/new')).split('blank shade-')[1], title).to.contain(`>${letter}</div>`);
        }

        const { id, page } = await make({ title: 'Zebra' });
        await server.call('DELETE', `/users/${ana.id}/projects/${id}/pages/${page}`, undefined, { token: ana.token });
        expect(await read(`/p/${id}`)).to.contain('This project has no pages.');
    });

    lab.test('play a project: its pages are links to each other, and to other projects', async () => {
        const { id, page } = await make({ title: 'Tour' });
        const right = await addPage(id, 1, 0);
        const below = await addPage(id, 0, 1);
        await addElement(id, page, { type: 'link', attributes: { text: 'In', targetPageId: right }, styles: {} });
        await addElement(id, page, { type: 'link', attributes: { text: 'Over', targetProjectId: '77' }, styles: {} });
        await addElement(id, page, { type: 'link', attributes: { text: 'Who', targetUserId: ana.id }, styles: {} });
        await addElement(id, page, { type: 'image', attributes: { src: `asset:${SHA}`, alt: 'A' }, styles: { width: 50 } });
        await addElement(id, page, { type: 'image', attributes: { src: `asset:${SHA}`, alt: 'B' }, styles: { width: 9000 } });
        await addElement(id, page, { type: 'image', attributes: { src: 'https://other.example/x.png', alt: 'C' }, styles: {} });
        await addElement(id, page, { type: 'sound', attributes: { src: `asset:${SHA}`, alt: 'D' }, styles: { width: 50 } });

        const text = await read(`/p/${id}`);
        // Only pictures come in several widths.
        expect(text).to.match(/<audio [^>]*src="\/assets\/a{64}" controls/);
        expect(text).to.contain([
            `href="/p/${id}/${right}" style`, 'href="/p/77"', `href="/p/${id}/${below}" data-key="ArrowDown"`, `href="/p/${id}/${right}" data-key="ArrowRight"`, '1 of 3',
            `src="/assets/${SHA}?width=160"`, `src="/assets/${SHA}"`, 'Picture at other.example', `href="/sign-in?back=%2Fp%2F${id}"`, 'data-action="edit"'
        ]);
        expect(text).to.not.contain(['ArrowLeft', 'ArrowUp', 'src="https']);
        expect(await read(`/p/${id}/${right}?lang=pt`)).to.contain(`href="/p/${id}/${page}?lang=pt" data-key="ArrowLeft"`).and.to.contain('<span class="number" id="page-number" dir="auto">2 ');
        expect(await read(`/p/${id}/${below}`)).to.contain(`href="/p/${id}/${page}" data-key="ArrowUp"`).and.to.contain(`href="/p/${id}/${right}" data-key="ArrowLeft"`);
        for (const path of [`/p/${id}/77777`, '/p/77777', '/p/x', `/p/${id}/0`, `/p/${id}/x/embed`]) {
            await read(path, 404);
        }

        expect([...text.matchAll(/<option value="(\w+)"/g)].map(([, reason]) => reason)).to.equal([...reportReasons]);
    });

    lab.test('do not show a page that is too large for a browser', async () => {
        const { id, page } = await make({ title: 'Large' });
        for (let n = 0; n < 3; ++n) {
            await addElement(id, page, { type: 'image', attributes: { src: `data:image/png;base64,${'A'.repeat(1_900_000)}` }, styles: {} });
        }

        const text = await read(`/p/${id}`);
        expect(text).to.contain('too large to be shown');
        expect(text.length).to.be.below(10_000);
        expect((await read('/browse/new')).length).to.be.below(10_000);
    });

    lab.test('credit what a remix was made of, as far as everybody may know it', async () => {
        const ben = await server.open('Ben');
        const { id } = await make({ title: 'Source' });
        const copy = await remix(id, ben);
        // With their faces: the author of the remix, and that of its source.
        expect(await read(`/p/${copy}`)).to.contain(['Remix of', `href="/p/${id}"`]).and.to.match(/href="\/u\/Ana"><svg class="face"/);
        await server.call('PATCH', `/users/${ana.id}/projects/${id}`, { visibility: 'private' }, { token: ana.token });
        const hidden = await read(`/p/${copy}`);
        expect(hidden).to.contain('<bdi>Source</bdi>').and.to.not.contain(`href="/p/${id}"`);

        await server.database.db.raw('delete from users where id = ?', [ana.id]);
        expect(await read(`/p/${copy}`)).to.contain('<bdi>Source</bdi>').and.to.not.contain('/u/Ana');
        ana = await server.open('Ana');
        const secret = await make({ title: 'Never seen', visibility: 'unlisted' });
        const other = await remix(secret.id, ben);
        await server.call('PATCH', `/users/${ben.id}/projects/${other}`, { title: 'Mine', visibility: 'public' }, { token: ben.token });
        await server.call('PATCH', `/users/${ana.id}/projects/${secret.id}`, { visibility: 'private' }, { token: ana.token });
        expect(await read(`/p/${other}`)).to.contain('Remix of a project that is not public').and.to.not.contain('Never seen');
    });

    lab.test('are for frames of other sites where they are meant to be, and described to them', async () => {
        const { id, page } = await make({ title: 'A "tour"', description: 'Of it', thumbnail: { 320: `http://place.example/assets/${SHA}?width=320` } });
        const right = await addPage(id, 1, 0);
        await addElement(id, page, { type: 'link', attributes: { text: 'In', targetPageId: right }, styles: {} });
        const host = { headers: { host: 'place.example' } };
        for (const path of [`/p/${id}/embed`, `/p/${id}/${page}/embed`]) {
            const { headers, text } = await server.call('GET', path, undefined, host);
            expect(headers['content-security-policy']).to.contain('frame-ancestors *');
            expect(text).to.contain([`href="/p/${id}/${right}/embed"`, `href="http://place.example/p/${id}" target="_blank"`]).and.to.not.contain('<header');
        }

        const { headers, text } = await server.call('GET', `/p/${id}`, undefined, host);
        expect(headers['content-security-policy']).to.contain(`frame-ancestors 'none'`);
        expect(text).to.contain([`property="og:image" content="http://place.example/assets/${SHA}?width=640&amp;height=960"`, 'property="og:image:width" content="640"', 'property="og:image:height" content="960"', 'property="og:title" content="A &quot;tour&quot;"', `oembed?url=http%3A%2F%2Fplace.example%2Fp%2F${id}"`]);

        const about = (path: string, more = ''): Promise<Answer> => server.call('GET', `/oembed?url=${encodeURIComponent(`http://place.example${path}`)}${more}`, undefined, host);
        const { body } = await about(`/p/${id}/${page}`, '&maxwidth=200&format=json&other=1');
        expect(body).to.include({ version: '1.0', type: 'rich', title: 'A "tour"', author_name: 'Ana', provider_name: 'Pagewright', width: 200, height: 600, thumbnail_url: `http://place.example/assets/${SHA}?width=320` });
        expect(String(body.html)).to.startWith(`<iframe src="http://place.example/p/${id}/embed" width="200"`).and.to.contain('title="A &quot;tour&quot;"');
        const plain = await make({ title: 'Plain' });
        expect((await about(`/p/${plain.id}`)).body).to.not.include(['thumbnail_url']);
        for (const path of ['/p/77777', '/u/Ana', '/p/99999999999999999999', '']) {
            expect((await about(path)).status, path).to.equal(404);
        }

        expect((await server.call('GET', `/oembed?url=${encodeURIComponent(`http://other.example/p/${id}`)}`, undefined, host)).status).to.equal(404);
        expect((await about(`/p/${id}`, '&format=xml')).status).to.equal(400);
        expect((await server.call('GET', '/oembed')).status).to.equal(400);
    });

    lab.test('show what people say about themselves, in its own direction, and no other words once it is changed', async () => {
        const say = async (about: string): Promise<void> => {
            expect((await server.call('PATCH', `/users/${ana.id}`, { about }, { token: ana.token })).status).to.equal(200);
        };

        expect(await read('/u/ana')).to.not.contain('class="description"');
        await say('أرسم الطيور <b>');
        expect(await read('/u/ana')).to.contain('<p class="description" dir="auto">أرسم الطيور &lt;b></p>');
        await say('I draw birds');
        expect(await read('/u/Ana')).to.contain('>I draw birds<').and.to.not.contain('الطيور');
        // As the rest of a page of somebody who is suspended.
        const moderator = await server.open('Mona', { moderator: true });
        expect((await server.call('PUT', `/moderation/users/${ana.id}/suspension`, { reason: 'x' }, { token: moderator.token })).status).to.equal(200);
        expect(await read('/u/ana')).to.contain('>I draw birds<');
    });

    lab.test('show collections to whom they are for', async () => {
        const { id } = await make({ title: 'Collected' });
        const made: Record<string, string> = {};
        for (const visibility of ['public', 'unlisted', 'private']) {
            const { body } = await server.call('POST', `/users/${ana.id}/collections`, { title: `A ${visibility} one`, description: visibility === 'public' ? 'About it' : '', visibility }, { token: ana.token });
            made[visibility] = body.collection.id;
            await server.call('PUT', `/users/${ana.id}/collections/${body.collection.id}/projects/${id}`, undefined, { token: ana.token });
        }

        const person = await read('/u/ana');
        expect(person).to.contain([`href="/c/${made.public}"`, '1 project<']).and.to.not.contain(['unlisted one', 'private one']);
        expect(await read(`/c/${made.public}`)).to.contain(['Collected', 'About it']).and.to.match(/ href="\/u\/Ana"><svg class="face".*About it/s).and.to.not.contain('noindex');
        expect(await read(`/c/${made.unlisted}`)).to.contain(['Collected', 'noindex']);
        await read(`/c/${made.private}`, 404);
        await read('/c/x', 404);
    });

    lab.test('tell nothing of what is not public, whoever asks', async () => {
        const moderator = await server.open('Mona', { moderator: true });
        for (const [state, change] of [['unlisted', { visibility: 'unlisted' }], ['private', { visibility: 'private' }], ['held', undefined]] as const) {
            const { id, page } = await make({ title: `Secret ${state}`, description: `#tag_${state}` });
            await addElement(id, page, { type: 'text', attributes: { text: `Hidden ${state}` }, styles: {} });
            const collection = (await server.call('POST', `/users/${ana.id}/collections`, { title: 'All', visibility: 'public' }, { token: ana.token })).body.collection.id;
            await server.call('PUT', `/users/${ana.id}/collections/${collection}/projects/${id}`, undefined, { token: ana.token });
            const { status } = change === undefined ? await server.call('PUT', `/moderation/projects/${id}/hold`, { reason: 'x' }, { token: moderator.token }) : await server.call('PATCH', `/users/${ana.id}/projects/${id}`, change, { token: ana.token });
            expect(status).to.equal(200);

            const missing = (await read('/p/77777/7', 404)).replaceAll('77777', '#').replaceAll('/7', '/#').replaceAll('%2F7', '%2F#');
            for (const token of [undefined, ana.token, moderator.token, 'wrong']) {
                for (const path of ['/', '/browse/new', '/browse/trending', '/browse/featured', `/tags/tag_${state}`, `/find?q=${state}`, '/u/Ana', `/c/${collection}`]) {
                    const { text } = await server.call('GET', path, undefined, { token });
                    expect(text, path).to.not.contain([`Secret ${state}`, `Hidden ${state}`, `/p/${id}"`]);
                }

                const oembed = await server.call('GET', `/oembed?url=${encodeURIComponent(`${server.server.info.uri}/p/${id}`)}`, undefined, { token });
                expect(oembed.status).to.equal(404);
                expect(oembed.text).to.not.contain('Secret');
                for (const path of [`/p/${id}`, `/p/${id}/${page}`, `/p/${id}/embed`, `/p/${id}/${page}/embed`]) {
                    const answer = await server.call('GET', path, undefined, { token });
                    expect(answer.status, `${state} ${path}`).to.equal(state === 'unlisted' ? 200 : 404);
                    if (state === 'unlisted') {
                        expect(answer.text).to.contain('noindex').and.to.not.contain(['og:title', 'oembed']);
                    }
                    else {
                        expect(answer.text).to.not.contain([`Secret ${state}`, `Hidden ${state}`]);
                    }
                }

                if (state !== 'unlisted') {
                    const { text } = await server.call('GET', `/p/${id}/${page}`, undefined, { token });
                    expect(text.replaceAll(`${id}/${page}`, '#/#').replaceAll(`${id}%2F${page}`, '#%2F#')).to.equal(missing);
                }
            }
        }
    });

    lab.test('read lists from a replica, and show the tags that the place has chosen', async () => {
        let reads = 0;
        let fails = true;
        const { db } = server.database;
        const other = await startTestServer({
            config: { site: readConfig({}).site, featuredTags: ['chosen'], listMaxAge: 1000, publicUrl: 'https://place.example' },
            database: server.database,
            replica: { read: (work) => (fails ? Promise.reject(new Error('broken')) : (++reads, work(db))), close: () => Promise.resolve() }
        });
        await make({ title: 'Somewhere' });
        // One that cannot be read is neither kept nor 404.
        const first = await other.call('GET', '/');
        expect(first.status).to.equal(500);
        fails = false;
        const { text } = await other.call('GET', '/');
        expect(text).to.contain(['href="/tags/chosen"', 'Somewhere']);
        expect(reads).to.equal(3);
        expect((await other.call('GET', '/')).text).to.equal(text);
        expect(reads).to.equal(3);
        const { id } = await make({ title: 'Elsewhere' });
        expect((await other.call('GET', `/oembed?url=https://place.example/p/${id}`)).body.provider_url).to.equal('https://place.example');
        await other.server.stop();
    });
});
