import { randomBytes } from 'node:crypto';

import { expect } from '@hapi/code';
import { script } from '@hapi/lab';
import type { Browser, Page } from 'playwright-core';

import { run } from '../../src/operations/cli/main';
import { launchChromium, settled } from '../support/chromium';
import { fakeHost } from '../support/host';
import { PASSWORD } from '../support/passwords';
import { startProduct } from '../support/product';
import type { Product } from '../support/product';
import type { Actor } from '../support/server';

export const lab = script();

lab.experiment('What a person makes on the site', () => {

    let test: Product;
    let browser: Browser;
    let ana: Actor;

    const open = async (path: string, actor?: Actor): Promise<Page> => {
        const context = await browser.newContext({ viewport: { width: 390, height: 844 }, locale: 'en' });
        if (actor !== undefined) {
            const kept = JSON.stringify({ token: actor.token, tokenId: null, user: { id: actor.id, username: actor.username } });
            await context.addInitScript(([value]) => localStorage.setItem(`pagewright ${location.origin}`, String(value)), [kept]);
        }

        const page = await context.newPage();
        page.setDefaultTimeout(60_000);
        await page.goto(`${test.url}${path}`);
        return page;
    };

    const newName = (): string => `p-${randomBytes(4).toString('hex')}`;

    const make = async (fields: object): Promise<string> => (await test.call('POST', '/users/me/projects', fields, { token: ana.token })).body.project.id;

    const makeAs = async ({ token }: Actor): Promise<string> => (await test.call('POST', '/users/me/projects', { title: 'Mine' }, { token })).body.project.id;

    lab.before(async () => {
        test = await startProduct();
        browser = await launchChromium();
        ana = await test.open(newName());
    });

    lab.afterEach(() => Promise.all(browser.contexts().map((context) => context.close())).then(() => undefined));

    lab.after(async () => {
        await browser?.close();
        await test?.stop();
    });

    lab.test('is private until they publish it, and says before what that means', async () => {
        const title = `Garden ${newName()}`;
        const page = await open('/account?new=1', ana);
        await page.getByLabel('Title of a new project').fill(title);
        await page.getByRole('button', { name: 'Create' }).click();
        await page.waitForURL(/\/edit\/\d+/);
        const [, id = ''] = /\/edit\/(\d+)/.exec(page.url()) ?? [];
        expect((await test.call('GET', `/projects/${id}`)).status).to.equal(404);
        expect((await test.call('GET', '/browse/new')).text).to.not.contain(title);

        await page.goto(`${test.url}/p/${id}`);
        await page.getByText('Publish…').press('Enter');
        await page.getByText('everybody can see it, play it and make a remix of it').waitFor();
        const status = page.getByRole('status').filter({ hasText: 'It is published. Everybody can see it now.' });
        expect(await status.count()).to.equal(0);
        await page.getByRole('button', { name: 'Publish it for everybody' }).press('Enter');
        await status.waitFor();
        expect(await status.evaluate((one) => one === document.activeElement), 'it has the focus, because the button is gone').to.be.true();
        // Now others can be shown it.
        const address = page.getByLabel('The address of your project');
        expect(await address.inputValue()).to.equal(`${test.url}/p/${id}`);
        await page.getByRole('img', { name: 'The address as a picture' }).waitFor();
        await page.getByRole('button', { name: 'Copy the address' }).waitFor();
        expect(await page.locator('.publish').count()).to.equal(0);
        expect((await test.call('GET', `/projects/${id}`)).body.project.visibility).to.equal('public');
        expect((await test.call('GET', '/browse/new')).text).to.contain(title);
    });

    lab.test('is private too if it is a remix', async () => {
        const source = await make({ title: 'A source' });
        const ben = await test.open(newName());
        const page = await open(`/p/${source}`, ben);
        expect(await page.locator('.publish').isVisible()).to.be.false();
        await page.getByRole('link', { name: 'Remix' }).click();
        await page.waitForURL(/\/edit\/\d+/);
        const { body } = await test.call('GET', `/users/me/projects?visibility=all`, undefined, { token: ben.token });
        expect(body.projects).to.have.length(1);
        expect(body.projects[0]).to.include({ remixed_from: source, visibility: 'private' });
    });

    lab.test('is the remix that they asked for before they signed in, and no other', async () => {
        const source = await make({ title: 'A source' });
        const ben = await test.open(newName());
        const page = await open(`/p/${source}`);
        await page.getByRole('link', { name: 'Remix' }).click();
        await page.getByText('Sign in or open an account to make your remix of “A source”.').waitFor();
        const [, back = ''] = /back=([^&]*)/.exec(page.url()) ?? [];
        await page.getByLabel('Username').fill(ben.username);
        await page.locator('input[name="password"]').fill(PASSWORD);
        await page.keyboard.press('Enter');
        await page.waitForURL(/\/edit\/\d+/);
        const remixes = async (): Promise<unknown[]> => (await test.call('GET', '/users/me/projects?visibility=all', undefined, { token: ben.token })).body.projects;
        expect(await remixes()).to.have.length(1);
        expect((await remixes())[0]).to.include({ remixed_from: source, visibility: 'private' });
        // The same address makes no second one, nor does a link of somebody else.
        for (const path of [decodeURIComponent(back), `/p/${source}?remix=1`]) {
            await page.goto(`${test.url}${path}`);
            await page.waitForURL(`${test.url}/p/${source}`);
        }

        await settled(page);
        expect(await remixes()).to.have.length(1);
    });

    lab.test('is played on the whole screen, page after page, also if it is private', async () => {
        for (const visibility of ['private', 'public']) {
            const id = await make({ title: 'A film', visibility });
            await test.call('POST', `/users/me/projects/${id}/pages`, { x: 1, y: 0 }, { token: ana.token });
            const page = await open('/', ana);
            await page.route('**/pages', async (route) => {
                // Until it has come, nothing says that there is nothing.
                expect(await page.getByRole('heading', { name: 'Nothing here' }).count()).to.equal(0);
                await route.continue();
            });
            await page.goto(`${test.url}/p/${id}`);
            await page.getByRole('button', { name: 'Full screen' }).click();
            await page.locator('html.full-screen').waitFor();
            await page.keyboard.press('ArrowRight');
            await page.getByText('2 of 2').waitFor();
            expect(await page.locator('html.full-screen').count()).to.equal(1);
            await page.getByRole('button', { name: 'Leave full screen' }).click();
            await page.locator('html:not(.full-screen)').waitFor();
        }
    });

    lab.test('says so if it could not be published, and leaves the button', async () => {
        const page = await open(`/p/${await make({ title: 'Not yet', visibility: 'unlisted' })}`, ana);
        await page.getByText('Publish…').click();
        await page.route('**/users/me/projects/*', (route) => route.abort());
        await page.getByRole('button', { name: 'Publish it for everybody' }).click();
        await page.getByRole('status').filter({ hasText: 'That did not work. Please try again.' }).waitFor();
        await page.unroute('**/users/me/projects/*');
        await page.getByRole('button', { name: 'Publish it for everybody' }).click();
        await page.getByRole('status').filter({ hasText: 'It is published.' }).waitFor();
    });

    lab.test('can be remixed by its author, who edits it first, and reported by others only', async () => {
        const id = await make({ title: 'My own' });
        const own = await open(`/p/${id}`, ana);
        await own.getByRole('link', { name: 'Edit' }).waitFor();
        expect(await own.locator('.actions a').allTextContents()).to.equal(['Edit', 'Remix']);
        expect(await own.locator('.report').isVisible()).to.be.false();
        expect((await test.call('POST', `/projects/${id}/reports`, { reason: 'spam' }, { token: ana.token })).status).to.equal(403);
        await own.getByRole('link', { name: 'Remix' }).click();
        await own.waitForURL(/\/edit\/\d+/);
        const [, copy] = /\/edit\/(\d+)/.exec(own.url()) ?? [];
        expect((await test.call('GET', `/users/me/projects/${copy}`, undefined, { token: ana.token })).body.project).to.include({ remixed_from: id, visibility: 'private' });
        for (const reader of [undefined, await test.open(newName())]) {
            const page = await open(`/p/${id}`, reader);
            await page.getByText('Report this project').click();
            expect(await page.locator('.report select').inputValue(), 'nothing is chosen beforehand').to.equal('');
            expect(await page.getByRole('link', { name: 'Edit' }).isVisible()).to.be.false();
        }
    });

    lab.test('is led to by what a person may do as soon as they may, without a new tab', async () => {
        const mona = await test.open(newName());
        const page = await open('/', mona);
        await page.getByRole('link', { name: mona.username }).waitFor();
        expect(await page.getByRole('link', { name: 'Moderation' }).or(page.getByRole('link', { name: 'Classes' })).count()).to.equal(0);
        for (const permission of ['moderator', 'teacher', 'staff']) {
            const admin = fakeHost({ DATA_DIR: test.dataDir });
            expect(await run(['grant', mona.username, permission], admin), admin.err).to.equal(0);
        }

        await page.reload();
        await page.getByRole('button', { name: /^More/ }).click();
        for (const name of [/^Moderation/, 'Classes', 'Admin']) {
            await page.getByRole('link', { name }).waitFor();
        }
    });

    lab.test('is reported without an account, with a reason that was chosen', async () => {
        const id = await make({ title: 'Reported' });
        const page = await open(`/p/${id}`);
        await page.getByText('Report this project').click();
        await page.getByRole('button', { name: 'Send the report' }).click();
        expect(await page.locator('.report').count(), 'nothing is sent without a reason').to.equal(1);
        await page.locator('.report select').selectOption('hurtful');
        await page.getByRole('button', { name: 'Send the report' }).click();
        await page.getByRole('status').filter({ hasText: 'Thank you.' }).waitFor();
        const mona = await test.open(newName());
        const admin = fakeHost({ DATA_DIR: test.dataDir });
        expect(await run(['grant', mona.username, 'moderator'], admin), admin.err).to.equal(0);
        const { body: { reports } } = await test.call('GET', '/moderation/reports?count=100', undefined, { token: mona.token });
        expect(reports.find((each: { project: { id: string } }) => each.project.id === id)).to.include({ count: 1, reasons: { hurtful: 1 } });
        // Where the project is, its author can be suspended.
        const moderator = await open(`/p/${id}`, mona);
        await moderator.getByRole('link', { name: `Suspend ${ana.username}` }).click();
        await moderator.getByRole('dialog', { name: `Suspend ${ana.username}` }).waitFor();
        await moderator.locator('.contents li').first().waitFor({ state: 'attached' });
    });

    lab.test('has an Edit for whoever may edit it, and for nobody else', async () => {
        const id = await make({ title: 'Of two' });
        for (const [role, sees] of [['editor', true], ['viewer', false], [undefined, false]] as const) {
            const other = await test.open(newName());
            if (role !== undefined) {
                await test.call('PUT', `/users/me/projects/${id}/members/${other.username}`, { role }, { token: ana.token });
            }

            const page = await open(`/p/${id}`, other);
            await settled(page);
            expect(await page.locator('[data-action="edit"]').isVisible(), String(role)).to.equal(sees);
        }
    });

    lab.test('says to its author why moderators hold it, and leads moderators to the reports', async () => {
        const id = await make({ title: 'Held' });
        const mona = await test.open(newName());
        const admin = fakeHost({ DATA_DIR: test.dataDir });
        expect(await run(['grant', mona.username, 'moderator'], admin), admin.err).to.equal(0);
        await test.call('POST', `/projects/${await make({ title: 'Reported' })}/reports`, { reason: 'spam' }, { token: mona.token });
        await test.call('PUT', `/moderation/projects/${id}/hold`, { reason: 'It shows a telephone number.' }, { token: mona.token });
        await (await open(`/p/${id}`, ana)).getByText('It shows a telephone number.').waitFor();
        const author = await open(`/edit/${id}`, ana);
        await author.locator('.banner', { hasText: 'It shows a telephone number.' }).waitFor();
        await author.getByLabel('More', { exact: true }).click();
        await author.getByText('Make a remix').or(author.getByText('Remix', { exact: true })).first().waitFor();
        expect(await author.getByRole('link', { name: 'Moderation' }).count()).to.equal(0);
        const moderators = await open(`/edit/${await makeAs(mona)}`, mona);
        await moderators.getByLabel('More', { exact: true }).click();
        await moderators.getByRole('link', { name: 'Moderation' }).waitFor();

        // It is there at once, also in a tab that was open before.
        const page = await open('/', mona);
        await page.getByRole('button', { name: /^More \(\d+\)$/ }).click();
        await page.getByRole('link', { name: /^Moderation \(\d+\)$/ }).click();
        await page.waitForURL(`${test.url}/moderation`);
        await page.getByRole('heading', { name: 'Reports' }).waitFor();
        const hers = await open('/', ana);
        await settled(hers);
        expect(await hers.getByRole('link', { name: /Moderation/ }).count()).to.equal(0);
    });

    lab.test('gives its address to others in Share, once they can open it', async () => {
        const id = await make({ title: 'For others', visibility: 'private' });
        const page = await open(`/edit/${id}`, ana);
        await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
        await page.getByRole('button', { name: 'Share', exact: true }).click();
        const dialog = page.getByRole('dialog');
        await dialog.getByText('Nobody else can open it yet.').waitFor();
        expect(await dialog.getByRole('button', { name: 'Copy the address' }).count()).to.equal(0);
        await dialog.getByText('Whoever has the address.').click();
        await dialog.getByRole('button', { name: 'Copy the address' }).click();
        await dialog.getByText('The address is copied.').waitFor();
        expect(await page.evaluate(() => navigator.clipboard.readText())).to.equal(`${test.url}/p/${id}`);
        await dialog.getByRole('img', { name: 'The address as a picture, for the camera of a phone' }).waitFor();
    });

    lab.test('lets a class in by an address or its picture, shows who came, and lets nobody back who was removed', async () => {
        const id = await make({ title: 'Our trip', visibility: 'private' });
        const page = await open(`/edit/${id}`, ana);
        await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
        await page.getByRole('button', { name: 'Share', exact: true }).click();
        const dialog = page.getByRole('dialog');
        expect(await dialog.getByLabel('How many may join').inputValue()).to.equal('30');
        await dialog.getByRole('button', { name: 'Make a code' }).click();
        await dialog.getByText('Here is the code. It is shown only now.').waitFor();
        const address = await dialog.getByLabel('Address to join at').inputValue();
        expect(address).to.match(/\/account\/join#[0-9a-f]{32}$/);
        expect(Number(await dialog.getByAltText('The address as a picture').evaluate((image) => Reflect.get(image, 'naturalWidth')))).to.be.above(0);
        await dialog.getByRole('button', { name: 'Copy the address' }).click();
        await dialog.getByText('The address is copied.').waitFor();
        expect(await page.evaluate(() => navigator.clipboard.readText())).to.equal(address);

        const ben = await test.open(newName());
        const his = await open(address.slice(test.url.length), ben);
        await his.getByRole('button', { name: 'Join' }).click();
        await his.waitForURL(/\/edit\/\d+/);
        await page.reload();
        await page.getByRole('button', { name: 'Share', exact: true }).click();
        await dialog.getByText(`Came by it: ${ben.username}.`).waitFor();
        await dialog.getByRole('listitem').filter({ has: page.locator('.face'), hasText: ben.username }).waitFor();
        await dialog.getByRole('button', { name: new RegExp(`Remove.*${ben.username}|${ben.username}`) }).click();
        await dialog.getByText('The codes that they came by do not work any more either.').waitFor();
        await dialog.getByText('Came by it').waitFor({ state: 'detached' });
        // Reading the list of codes again leaves the words there.
        await dialog.getByText('The codes that they came by do not work any more either.').waitFor();
        const back = await open(address.slice(test.url.length), ben);
        await back.getByRole('button', { name: 'Join' }).click();
        await back.getByText('This code is wrong, has expired or is used up.').first().waitFor();
        expect(new URL(back.url()).pathname).to.equal('/account/join');
    });
});
