import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Browser, Page } from 'playwright-core';
import { renderSVG } from 'uqr';

import { run } from '../../src/operations/cli/main';
import { purge } from '../../src/operations/maintenance/purge';
import { thinHistory } from '../../src/operations/maintenance/thin';
import { launchChromium } from '../support/chromium';
import { cloneDatabase } from '../support/database';
import type { TestDatabase } from '../support/database';
import { saved, write } from '../support/editing';
import { fakeHost } from '../support/host';
import { addressIn, build, startProgram } from '../support/program';
import type { Program } from '../support/program';
import { callerOf } from '../support/server';
import type { Actor, Caller } from '../support/server';

/** Pupils: `LESSON=30` is a whole class, with 31 browsers, as each night. It takes minutes of both processors, so it is left out otherwise. */
const PUPILS = Number(process.env.LESSON ?? (process.env.LOOKS === 'all' ? 30 : 0));
/** A folder for pictures of the screens, to look at by hand. */
const PICTURES = process.env.LESSON_PICTURES;

/** How many pupils are at work at the same moment. Their browsers share a few processors; in a classroom, each has its own. */
const AT_ONCE = 3;

/** How long an edit that is saved may take to be on the teacher's wall, in milliseconds, and how many are measured. */
const WALL = 2000;
const MEASURED = 5;

export const lab = Lab.script();
const { after, before, describe, it } = lab;

interface Pupil {
    name: string;
    username: string;
    passphrase: string;
    page: Page;
    me: Actor;
    project: string;
    /** what was in the project when it was handed in, to the byte */
    seen: string;
}

describe('a lesson', { skip: PUPILS === 0, timeout: 600_000 + 30_000 * PUPILS }, () => {
    let database: TestDatabase;
    let program: Program;
    let url: string;
    let browser: Browser;
    let call: Caller['call'];
    let eva: Actor;
    const folder = mkdtempSync(join(tmpdir(), 'pagewright-test-'));
    const wrong: string[] = [];
    const tell = (text: string): void => void (process.env.LESSON === undefined || process.stderr.write(`${text}\n`));

    before(async () => {
        await build();
        database = await cloneDatabase();
        // As it is installed, with its limits for a school behind one address.
        program = startProgram('start', { PORT: '0', DATABASE_URL: database.url, DATA_DIR: join(folder, 'data') });
        url = await addressIn(program);
        const caller = callerOf(async (method, path, headers, payload) => {
            const response = await fetch(`${url}${path}`, { method, headers, body: payload === undefined ? undefined : String(payload) });
            return { status: response.status, headers: Object.fromEntries(response.headers), text: await response.text() };
        });
        ({ call } = caller);
        eva = await caller.open('eva');
        expect(await run(['grant', 'eva', 'teacher'], fakeHost({ DATABASE_URL: database.url }))).to.equal(0);
        browser = await launchChromium();
        if (PICTURES !== undefined) {
            mkdirSync(PICTURES, { recursive: true });
        }
    });

    after(async () => {
        await browser?.close();
        program?.child.kill('SIGTERM');
        await program?.ended;
        await database?.drop();
        rmSync(folder, { recursive: true, force: true });
    });

    const newPage = async (width = 1280): Promise<Page> => {
        const page = await (await browser.newContext({ viewport: { width, height: 844 }, locale: 'en-US', reducedMotion: 'reduce' })).newPage();
        page.setDefaultTimeout(120_000);
        page.on('pageerror', ({ message }) => void (message.includes('ViewTransition') || wrong.push(message)));
        page.on('console', (message) => void (/Content.Security.Policy/i.test(message.text()) && wrong.push(message.text())));
        page.on('dialog', (dialog) => void dialog.accept());
        return page;
    };

    const picture = (page: Page, name: string): Promise<unknown> => (PICTURES === undefined ? Promise.resolve() : page.screenshot({ path: join(PICTURES, `${name}.png`) }));

    /** Does something for all, a few at a time. */
    const forAll = async <One, Result>(all: readonly One[], work: (one: One, index: number) => Promise<Result>): Promise<Result[]> => {
        const results: Result[] = [];
        let next = 0;
        await Promise.all(Array.from({ length: AT_ONCE }, async () => {
            for (let at = next++; at < all.length; at = next++) {
                for (const one of all.slice(at, at + 1)) {
                    results[at] = await work(one, at);
                }
            }
        }));
        return results;
    };

    const names = Array.from({ length: PUPILS }, (_name, at) => `Pupil ${String(at + 1).padStart(2, '0')} Ñandú`);

    it(`of ${PUPILS}: from a pasted list to works that stay as they were handed in`, async () => {
        const teacher = await newPage();
        await teacher.goto(`${url}/sign-in`);
        await teacher.evaluate((session) => localStorage.setItem(`pagewright ${location.origin}`, session), JSON.stringify({ token: eva.token, tokenId: null, user: { id: eva.id, username: eva.username } }));

        // What the teacher does, without the time that pupils take.
        const began = performance.now();
        await teacher.goto(`${url}/classes`);
        await teacher.getByRole('button', { name: 'New class' }).click();
        await teacher.getByLabel('Name of the class').fill('Year 5');
        await teacher.keyboard.press('Enter');
        await teacher.waitForURL(/\/class\/\d+$/);
        const dialog = teacher.getByRole('dialog');
        await teacher.getByRole('button', { name: 'Add pupils' }).click();
        await dialog.locator('textarea').fill(`Name\n${names.join('\n')}\n`);
        await dialog.getByRole('button', { name: 'Continue' }).click();
        await dialog.getByRole('button', { name: `Make ${PUPILS} accounts` }).click();
        await teacher.locator('.slip').nth(PUPILS - 1).waitFor();
        await teacher.getByRole('link', { name: 'Assignments', exact: true }).click();
        await teacher.getByRole('button', { name: 'New assignment' }).click();
        await dialog.getByLabel('Title').fill('A story');
        await teacher.keyboard.press('Enter');
        await teacher.getByText(`handed in: 0 of ${PUPILS}`).waitFor();
        const clicks = performance.now() - began;
        tell(`the teacher's clicks: ${(clicks / 1000).toFixed(1)} s`);
        expect(clicks).to.be.below(60_000);
        const path = new URL(teacher.url()).pathname;
        const classPath = path.replace('class', 'classes');
        const slips = await teacher.locator('.slip').evaluateAll((all) => all.map((one) => {
            const [username = '', passphrase = ''] = [...one.querySelectorAll('code')].map(({ textContent }) => String(textContent));
            return { name: String(one.querySelector('.slip-name')?.textContent), username, passphrase, picture: String(one.querySelector('img')?.getAttribute('src')) };
        }));
        expect(slips.map(({ name }) => name)).to.equal(names);
        await picture(teacher, 'teacher-sheets');

        const pupils = await forAll(slips, async ({ picture: code, ...slip }, at): Promise<Pupil> => {
            const address = `${url}/sign-in#${slip.username}`;
            expect(code).to.equal(`data:image/svg+xml,${encodeURIComponent(renderSVG(address))}`);
            const page = await newPage(at % 2 === 0 ? 390 : 1280);
            await page.goto(address);
            await page.locator('input[name="password"]:focus').waitFor();
            await page.keyboard.type(slip.passphrase);
            await page.keyboard.press('Enter');
            await page.waitForURL(/\/classes$/);
            await page.getByRole('link', { name: 'Year 5' }).click();
            await page.getByRole('button', { name: 'Begin “A story”' }).click();
            await page.waitForURL(/\/edit\/\d+$/);
            await page.locator('.stage').waitFor();
            const session = JSON.parse(String(await page.evaluate<string | null>('localStorage.getItem(`pagewright ${location.origin}`)')));
            return { ...slip, page, me: { id: session.user.id, username: session.user.username, token: session.token }, project: String(page.url().split('/').at(-1)), seen: '' };
        });
        tell(`${pupils.length} pupils are in the editor after ${((performance.now() - began) / 1000).toFixed(0)} s`);

        const edit = async ({ page }: Pupil, text: string): Promise<number> => {
            const stored = page.waitForResponse((response) => response.url().endsWith('/bulk') && response.ok());
            await page.getByRole('button', { name: 'Text', exact: true }).first().click();
            await write(page, text);
            await page.keyboard.press('Escape');
            await stored;
            await saved(page);
            const now = performance.now();
            // On a phone, what can be done with a thing is in the place of the tools.
            const done = page.getByRole('button', { name: 'Done', exact: true });
            await (await done.isVisible() ? done.click() : undefined);
            return now;
        };

        await forAll(pupils, (pupil, at) => edit(pupil, `Story ${at + 1}`));
        await teacher.getByRole('link', { name: 'In the class', exact: true }).click();
        const waits: number[] = [];
        for (const [at, pupil] of pupils.slice(0, MEASURED).entries()) {
            const text = `Now ${at + 1}`;
            const onWall = teacher.locator('.card .picture', { hasText: text }).waitFor().then(() => performance.now());
            const [stored, seen] = await Promise.all([edit(pupil, text), onWall]);
            waits.push(Math.max(0, seen - stored));
        }

        tell(`saved edits are on the wall after ${waits.map((wait) => wait.toFixed(0)).join(', ')} ms`);
        expect(Math.max(...waits)).to.be.below(WALL);
        await picture(teacher, 'teacher-wall');
        await Promise.all(pupils.slice(0, 2).map(({ page, name }) => picture(page, `pupil-editor-${name}`)));

        await forAll(pupils, async (pupil, at) => {
            pupil.seen = JSON.stringify((await call('GET', `/users/${pupil.me.id}/projects/${pupil.project}/pages`, undefined, { token: pupil.me.token })).body.pages);
            const onScreen = await pupil.page.locator('.stage [data-element]').allTextContents();
            expect(onScreen.length).to.equal(at < MEASURED ? 2 : 1);
            expect(pupil.seen).to.contain(onScreen);
            await pupil.page.goto(`${url}${path}`);
            await pupil.page.getByRole('button', { name: 'Hand in “A story”' }).click();
            await pupil.page.getByRole('dialog').getByRole('button', { name: 'Hand in', exact: true }).click();
            await pupil.page.getByText('It is handed in.').waitFor();
        });
        await picture((pupils[0] ?? { page: teacher }).page, 'pupil-handed-in');
        tell(`all have handed in after ${((performance.now() - began) / 1000).toFixed(0)} s`);

        // They go on, and the history is thinned of all that nobody named.
        for (const { me, project } of pupils) {
            const { body: { pages: [first] } } = await call('GET', `/users/${me.id}/projects/${project}/pages`, undefined, { token: me.token });
            const page = `/users/${me.id}/projects/${project}/pages/${first.id}`;
            expect((await call('PATCH', `${page}/elements/${first.elements[0].id}`, { attributes: { text: 'Another story' } }, { token: me.token })).status).to.equal(200);
            expect((await call('DELETE', page, {}, { token: me.token })).status).to.equal(200);
        }

        await database.db.raw(`update project_changes set at = at - interval '3 years' where label is null`);
        await database.db.raw(`update pages set deleted_at = deleted_at - interval '3 years' where deleted_at is not null`);
        for (const { project } of pupils) {
            await thinHistory(database.db, project, { historyDays: 0, historyMaxBytes: 1 });
        }

        await purge(database.db, 30 * 24 * 3600);
        const { body: { assignments: [{ assignment, counts }] } } = await call('GET', `${classPath}/assignments`, undefined, { token: eva.token });
        expect(counts).to.include({ handed_in: PUPILS, late: 0 });
        const { body: { works } } = await call('GET', `${classPath}/assignments/${assignment.id}/work`, undefined, { token: eva.token });
        for (const { me, project, seen, name } of pupils) {
            const { work } = works.find(({ pupil }: { pupil: { name: string } }) => pupil.name === name);
            const { body, text } = await call('GET', `/users/${me.id}/projects/${project}/history/${work.point}`, undefined, { token: eva.token });
            expect(JSON.stringify(body.pages), text.slice(0, 200)).to.equal(seen);
        }

        await teacher.goto(`${url}${path}?assignment=${assignment.id}`);
        await teacher.getByRole('button', { name: `What was handed in: ${names[0]}` }).click();
        await teacher.getByRole('dialog').getByText('Story 1', { exact: true }).waitFor();
        await picture(teacher, 'teacher-handed-in');
        expect(wrong).to.equal([]);
    });
});
