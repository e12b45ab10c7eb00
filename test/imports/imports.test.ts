import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { startTestServer } from '../support/server';
import type { Actor, Answer, TestServer } from '../support/server';
import { fileOf, projectZip } from '../support/zips';

export const lab = script();

lab.experiment('Importing', () => {

    let test: TestServer;
    let eva: Actor;

    lab.before(async () => {
        test = await startTestServer();
        eva = await test.open('eva');
    });

    lab.after(() => test.stop());

    const send = (zip: Buffer, query = ''): Promise<Answer> => test.call('POST', `/users/${eva.id}/imports${query}`, zip, { token: eva.token, headers: { 'content-type': 'application/zip' } });

    lab.test('a file becomes a project with all that is in it', async () => {
        const { status, body, headers } = await send(projectZip(fileOf(
            { id: '7', title: 'Plants', description: 'A #garden' },
            [
                { id: '5', x: 0, y: 0, styles: { color: 'red' }, elements: [{ type: 'text', attributes: { text: 'Tomatoes' } }, { type: 'link', attributes: { targetProjectId: 7, targetPageId: '6' } }] },
                { id: '6', x: 1, y: 0, elements: [] }
            ]
        )));
        expect([status, body]).to.equal([201, body]);
        expect(body.project).to.include({ title: 'Plants', description: 'A #garden', tags: ['garden'], user_id: eva.id });
        expect(headers.location).to.equal(`/users/${eva.id}/projects/${body.project.id}`);
        const { body: { pages } } = await test.call('GET', `${String(headers.location)}/pages`);
        expect(pages.map(({ x, y, styles }: { x: number; y: number; styles: object }) => ({ x, y, styles }))).to.equal([{ x: 0, y: 0, styles: { color: 'red' } }, { x: 1, y: 0, styles: {} }]);
        const [text, link] = pages[0].elements;
        expect(text.attributes).to.equal({ text: 'Tomatoes' });
        expect(link.attributes).to.equal({ targetProjectId: body.project.id, targetUserId: eva.id, targetPageId: pages[1].id });
        const { body: { changes } } = await test.call('GET', `${String(headers.location)}/history`, undefined, { token: eva.token });
        expect(changes.map(({ kind, counts }: { kind: string; counts: object }) => ({ kind, counts }))).to.equal([{
            kind: 'import', counts: { project: true, pages: { created: 2, updated: 0, removed: 0 }, elements: { created: 2, updated: 0, removed: 0 } }
        }]);
        expect(test.faults).to.equal([]);
    });
});
