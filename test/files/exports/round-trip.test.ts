import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { Dice } from '../../support/dice';
import { randomFile } from '../../support/random-projects';
import { startTestServer } from '../../support/server';
import type { Actor, TestServer } from '../../support/server';
import { unzip } from '../../support/unzip';
import { fileOf, projectZip } from '../../support/zips';

export const lab = script();

/** More with `ROUND_TRIPS=200`, as in continuous integration, and others with `SEED=…`. */
const RUNS = Number(process.env.ROUND_TRIPS ?? 8);
const SEED = Number(process.env.SEED ?? 14);

type Thing = Record<string, unknown>;

/** What is in an exported file, without what another copy has of its own: times, and ids, which are replaced by the places of pages. */
function contentOf(file: { project: Thing; pages: (Thing & { elements: (Thing & { attributes: Thing })[] })[] }, userId: string): object {
    const places = new Map(file.pages.map(({ id }, index) => [id, `page ${index}`]));
    const ownLink = ({ type, attributes }: Thing & { attributes: Thing }): boolean => type === 'link' && attributes.targetProjectId === file.project.id && attributes.targetUserId === userId;
    return {
        project: { ...file.project, id: 'project', history: undefined },
        pages: file.pages.map((page, index) => ({
            ...page, id: `page ${index}`, history: undefined, elements: page.elements.map((element) => ({
                ...element, id: undefined, history: undefined,
                attributes: ownLink(element) ? { ...element.attributes, targetProjectId: 'project', targetUserId: 'user', targetPageId: places.get(element.attributes.targetPageId) } : element.attributes
            }))
        }))
    };
}

lab.experiment(`Export, import and export again, from seed ${SEED}`, { timeout: 600_000 + RUNS * 500 }, () => {

    let test: TestServer;
    let users: Actor[];

    lab.before(async () => {
        test = await startTestServer();
        users = [await test.open(), await test.open()];
    });

    lab.after(() => test.stop());

    const importZip = async (user: Actor, zip: Buffer): Promise<string> => {
        const { status, text, headers } = await test.call('POST', `/users/${user.id}/imports`, zip, { token: user.token, headers: { 'content-type': 'application/zip' } });
        expect(status, text).to.equal(201);
        return String(headers.location);
    };

    const exported = async (user: Actor, path: string): Promise<Buffer> => {
        const { statusCode, rawPayload } = await test.server.inject({ url: `${path}/export`, headers: { authorization: `token ${user.token}` } });
        expect(statusCode).to.equal(200);
        return rawPayload;
    };

    const read = async (zip: Buffer): Promise<ReturnType<typeof JSON.parse>> => JSON.parse(String((await unzip(zip)).get('project.json')));

    lab.test(`gives the same project, ${RUNS} times`, async () => {
        const dice = new Dice(SEED);
        for (let run = 0; run < RUNS; ++run) {
            const { project, pages } = randomFile(dice.split());
            const [eva, ali] = [users[run % 2]!, users[(run + 1) % 2]!];
            const first = await exported(eva, await importZip(eva, projectZip(fileOf(project, pages))));
            const second = await exported(ali, await importZip(ali, first));
            const [one, two] = [await read(first), await read(second)];

            expect(contentOf(two, ali.id), `run ${run}`).to.equal(contentOf(one, eva.id));
            expect(one.project, `run ${run}`).to.include(Object.fromEntries(Object.entries(project).filter(([name]) => name !== 'id')));
            expect(one.pages.map(({ x, y, styles, elements }: Thing & { elements: Thing[] }) => [x, y, styles, elements.map(({ type, styles: own }) => [type, own])]), `run ${run}`)
                .to.equal(pages.map(({ x, y, styles = {}, elements }) => [x, y, styles, elements.map(({ type, styles: own = {} }) => [type, own])]));
        }

        expect(test.faults).to.equal([]);
    });
});
