import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { contentsOf } from '../../support/contents';
import { Dice } from '../../support/dice';
import { wrongZips } from '../../support/hostile-zips';
import { startTestServer } from '../../support/server';
import type { Actor, TestServer } from '../../support/server';
import { fileOf, projectZip, zipBytes } from '../../support/zips';

export const lab = script();

/** Five of each kind. More with `WRONG_ZIPS=300`, as in continuous integration, and others with `SEED=…`. */
const RUNS = Number(process.env.WRONG_ZIPS ?? 140);
const SEED = Number(process.env.SEED ?? 14);
const MIB = 1024 * 1024;

/** Files in which something is wrong, with the place that is named. */
const wrongFiles: Readonly<Record<string, readonly [content: unknown, place: string]>> = {
    'no object': [[], 'project.json#'],
    'an empty object': ['{}', 'project.json#/format'],
    'nothing where a value is': ['{"format":}', 'project.json#'],
    'a colon behind a number': ['{"version":1:2}', 'project.json#'],
    'a number where a page is': [fileOf({ title: 'x' }, [JSON.parse('1')]), 'project.json#/pages/0'],
    'many keys': [`{${Array.from({ length: 101 }, (_one, n) => `"k${n}":1`).join(',')}}`, 'project.json#'],
    'no format': [{ version: 1, project: { title: 'x' }, pages: [] }, 'project.json#/format'],
    'another version': [{ ...fileOf({ title: 'x' }), version: 2 }, 'project.json#/version'],
    'no project': [{ format: 'pagewright-project', version: 1, pages: [] }, 'project.json#/project'],
    'an unknown field': [{ ...fileOf({ title: 'x' }), more: 1 }, 'project.json#/more'],
    'an unknown field of the project': [fileOf({ title: 'x', featured: true }), 'project.json#/project/featured'],
    'no title': [fileOf({}), 'project.json#/project/title'],
    'pages that are no list': [{ ...fileOf({ title: 'x' }), pages: {} }, 'project.json#/pages'],
    'a page that is no object': [fileOf({ title: 'x' }, [[]]), 'project.json#/pages/0'],
    'a page without a place': [fileOf({ title: 'x' }, [{ x: 1, elements: [] }]), 'project.json#/pages/0/y'],
    'two pages at one place': [fileOf({ title: 'x' }, [{ x: 0, y: 0, elements: [] }, { x: 0, y: 0, elements: [] }]), 'project.json#/pages/1'],
    'two pages with one id': [fileOf({ title: 'x' }, [{ id: '1', x: 0, y: 0, elements: [] }, { id: '1', x: 1, y: 0, elements: [] }]), 'project.json#/pages/1/id'],
    'elements that are no list': [fileOf({ title: 'x' }, [{ x: 0, y: 0, elements: { type: 'text' } }]), 'project.json#/pages/0/elements'],
    'an element without a type': [fileOf({ title: 'x' }, [{ x: 0, y: 0, elements: [{ type: 'text' }, { attributes: {} }] }]), 'project.json#/pages/0/elements/1/type'],
    'an element that is none': [fileOf({ title: 'x' }, [{ x: 0, y: 0, elements: [1] }]), 'project.json#/pages/0/elements/0'],
    'deep attributes': [fileOf({ title: 'x' }, [{ x: 0, y: 0, elements: [{ type: 'text', attributes: JSON.parse(`${'{"a":'.repeat(40)}1${'}'.repeat(40)}`) }] }]), 'project.json#/pages/0/elements/0/attributes'],
    'text that cannot be kept': [fileOf({ title: 'x' }, [{ x: 0, y: 0, elements: [{ type: 'text', attributes: { text: '\u0000' } }] }]), 'project.json#/pages/0/elements/0/attributes/text'],
    'large attributes': [fileOf({ title: 'x' }, [{ x: 0, y: 0, elements: [{ type: 'text', attributes: { text: 'x'.repeat(2 * MIB) } }] }]), 'project.json#/pages/0/elements/0/attributes'],
    'large styles': [fileOf({ title: 'x' }, [{ x: 0, y: 0, styles: { text: 'x'.repeat(11 * MIB) }, elements: [] }]), 'project.json#'],
    'a key twice': ['{"format":"pagewright-project","version":1,"project":{"title":"x"},"pages":[],"p\\u0061ges":[]}', 'project.json#'],
    'no JSON': ['{"format":"pagewright-project","version":1,"project":{"title":"x"},"pages":[{]}', 'project.json#'],
    'no JSON in an element': ['{"format":"pagewright-project","version":1,"project":{"title":"x"},"pages":[{"x":0,"y":0,"elements":[{"type":"text"},{"type":nothing}]}]}', 'project.json#/pages/0/elements/1'],
    'a comma too many': ['{"format":"pagewright-project","version":1,"project":{"title":"x"},"pages":[],}', 'project.json#'],
    'something behind it': [`${JSON.stringify(fileOf({ title: 'x' }))} {}`, 'project.json#'],
    'a long key': [`{"${'x'.repeat(11 * MIB)}":1}`, 'project.json#']
};

lab.experiment(`Importing what is wrong, from seed ${SEED}`, { timeout: 600_000 + RUNS * 200 }, () => {

    let test: TestServer;
    let eva: Actor;

    lab.before(async () => {
        test = await startTestServer();
        eva = await test.open('eva');
    });

    lab.after(async () => {
        expect(test.faults).to.equal([]);
        await test.stop();
    });

    const send = (zip: Buffer): ReturnType<TestServer['call']> => test.call('POST', '/users/me/imports', zip, { token: eva.token, headers: { 'content-type': 'application/zip' } });

    for (const [what, [content, place]] of Object.entries(wrongFiles)) {
        lab.test(`${what} is 400 that names the place`, async () => {
            const { status, body } = await send(zipBytes([{ name: 'project.json', content: typeof content === 'string' ? content : JSON.stringify(content) }]));
            expect([status, body.code, body.details?.[0].path], JSON.stringify(body).slice(0, 1000)).to.equal([400, 'validation_failed', place]);
        });
    }

    lab.test('is rejected soon if it is mostly spaces, wherever they are', async () => {
        const spaces = ' '.repeat(200 * MIB);
        const start = '{"format":"pagewright-project","version":1,"project":{"title":"x"},"pages":[';
        const element = `{"type":"text","attributes":{${' '.repeat(5 * MIB)}}}`;
        for (const content of [`${start}${spaces}]}`, `${start}{"x":0,"y":0,"elements":[${Array.from({ length: 20 }, () => element).join(',')}]}]}`]) {
            const zip = zipBytes([{ name: 'project.json', content }]);
            const used = process.cpuUsage();
            const { status, body } = await test.call('POST', `/users/${eva.id}/imports`, zip, { token: eva.token, headers: { 'content-type': 'application/zip' } });
            expect([status, body.code]).to.equal([400, 'validation_failed']);
            expect(body.message).to.include('more than 4 spaces and line breaks for each other byte');
            expect(process.cpuUsage(used).user / 1e6).to.be.below(1);
        }

        const pretty = JSON.stringify(fileOf({ title: 'Written for people' }, [{ x: 0, y: 0, elements: [{ type: 'text', attributes: { text: `"\\${' '.repeat(2000)}` } }] }]), null, 4);
        const { status, text } = await test.call('POST', `/users/${eva.id}/imports`, zipBytes([{ name: 'project.json', content: pretty }]), { token: eva.token, headers: { 'content-type': 'application/zip' } });
        expect(status, text).to.equal(201);
    });

    lab.test('all that is wrong is told, at most a hundred places', async () => {
        const pages = [{ x: 'a', y: 0, styles: [], elements: Array.from({ length: 300 }, () => ({ type: 1 })) }];
        const { status, body } = await send(projectZip(fileOf({ title: '' }, pages)));
        expect([status, body.details.length]).to.equal([400, 100]);
        expect(body.message).to.include('"details" lists the first 100');
        const many = await send(projectZip(fileOf({ title: '' }, [...pages, ...pages, ...pages, ...pages])));
        expect([many.status, many.body.details.length]).to.equal([400, 100]);
    });

    // The last of them has 270 MiB, which takes a busy machine a minute.
    lab.test('more than a project may hold is 409, and nothing is written', async () => {
        const before = await contentsOf(test.database.db);
        const element = { type: 'x' };
        const large = { type: 'x', attributes: { text: 'x'.repeat(2 * MIB - 20) } };
        for (const [pages, code] of [
            [Array.from({ length: 1001 }, (_one, x) => ({ x, y: 0, elements: [] })), 'page_limit'],
            [[{ x: 0, y: 0, elements: Array.from({ length: 1001 }, () => element) }], 'element_limit'],
            [[{ x: 0, y: 0, elements: Array.from({ length: 17 }, () => large) }], 'page_size_limit'],
            [Array.from({ length: 9 }, (_one, x) => ({ x, y: 0, elements: Array.from({ length: 15 }, () => large) })), 'project_size_limit']
        ] as const) {
            const { status, body } = await send(projectZip(fileOf({ title: 'x' }, pages)));
            expect([status, body.code]).to.equal([409, code]);
        }

        expect(await contentsOf(test.database.db)).to.equal(before);
    });

    lab.test('a body that is too large is 413 at once, and another type or encoding is 415', async () => {
        for (const [headers, status] of [
            [{ 'content-type': 'application/zip', 'content-length': String(101 * MIB) }, 413], [{ 'content-type': 'application/json' }, 415], [{ 'content-type': 'application/zip', 'content-encoding': 'br' }, 415]
        ] as const) {
            expect((await test.call('POST', '/users/me/imports', 'x', { token: eva.token, headers })).status).to.equal(status);
        }
    });

    lab.test(`${RUNS} wrong zips are each 400, nothing is written, and memory stays`, async () => {
        const dice = new Dice(SEED);
        const before = await contentsOf(test.database.db);
        const names = Object.keys(wrongZips);
        let most = 0;
        const start = process.memoryUsage().rss;
        for (let run = 0; run < RUNS; ++run) {
            const name = names[run % names.length] ?? '';
            const { status, body } = await send(wrongZips[name]!(dice.split()));
            expect([status, body?.code], `run ${run}, a zip ${name}: ${JSON.stringify(body)}`).to.equal([400, 'validation_failed']);
            most = Math.max(most, process.memoryUsage().rss);
        }

        expect(await contentsOf(test.database.db)).to.equal(before);
        expect(most - start).to.be.below(400 * MIB);
    });
});
