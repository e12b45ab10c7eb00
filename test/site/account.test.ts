import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

import { run } from '../../src/operations/cli/main';
import { launchChromium } from '../support/chromium';
import { fakeHost } from '../support/host';
import { startProduct } from '../support/product';
import type { Product } from '../support/product';

export const lab = Lab.script();
const { after, afterEach, before, describe, it } = lab;

const PASSWORD = 'correct horse battery';
const laptop = { width: 1280, height: 800 };
const phone = { width: 390, height: 844 };

describe('the pages of accounts and of moderators', () => {
    let test: Product;
    let browser: Browser;
    const wrong: string[] = [];

    before(async () => {
        test = await startProduct();
        browser = await launchChromium();
    });

    after(async () => {
        await browser?.close();
        await test?.stop();
    });

    // Pages that stay open would go on working.
    afterEach(() => Promise.all(browser.contexts().map((context) => context.close())).then(() => undefined));

    const newName = (): string => `ana-${randomBytes(4).toString('hex')}`;

    /** A browser of somebody else. Whatever goes wrong in it is noted, also what the policy of the page forbids. */
    const open = async (path: string, options: BrowserContextOptions = { viewport: laptop }): Promise<Page> => {
        const page = await (await browser.newContext({ locale: 'en-US', acceptDownloads: true, ...options })).newPage();
        page.setDefaultTimeout(60_000);
        page.on('pageerror', (error) => void wrong.push(error.message));
        page.on('console', (message) => void (/Content.Security.Policy/i.test(message.text()) && wrong.push(message.text())));
        page.on('request', (request) => void (new URL(request.url()).origin === test.url || /^(?:data|blob):/.test(request.url()) || wrong.push(request.url())));
        await page.goto(`${test.url}${path}`);
        return page;
    };

    interface Person {
        id: string;
        username: string;
        token: string;
    }

    /** Signs somebody in, in the browser of a page. */
    const enter = (page: Page, { token, id, username }: Person): Promise<void> => {
        const session = JSON.stringify(JSON.stringify({ token, tokenId: null, user: { id, username } }));
        return page.evaluate(`localStorage.setItem('pagewright ' + location.origin, ${session})`);
    };

    const newModerator = async (): Promise<Person> => {
        const moderator = await test.open(newName());
        const admin = fakeHost({ DATA_DIR: test.dataDir });
        expect(await run(['grant', moderator.username, 'moderator'], admin), admin.err).to.equal(0);
        return moderator;
    };

    const newProject = async ({ token }: Person, title: string): Promise<string> => (await test.call('POST', '/users/me/projects', { title }, { token })).body.project.id;

    /** Waits until what the page reads is there. */
    const ready = async (page: Page): Promise<void> => {
        await page.locator('#root h1').waitFor();
        await page.locator('#root').locator('.loading, [aria-busy="true"]').first().waitFor({ state: 'detached' });
    };

    const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
    const told = (page: Page, text: string): Promise<void> => page.locator('.said', { hasText: text }).waitFor();

    it('leads from the first page to a saved page of one\'s own, on a phone', async () => {
        const name = newName();
        const page = await open('/', { viewport: phone });
        await page.getByRole('link', { name: 'Make a project' }).click();
        await page.getByLabel('Username').fill(name);
        await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
        await button(page, 'Open an account').click();
        await page.getByLabel('Title of a new project').fill('My window');
        await button(page, 'Create').click();
        await page.waitForURL(/\/edit\/\d+$/);
        await button(page, 'Text').click();
        // The new text has the focus, where it stands, and all of it is chosen.
        await page.locator('.inline-text textarea:focus').waitFor();
        await page.keyboard.type('Rain');
        await page.locator('.status.saved').waitFor();
        const id = page.url().split('/').at(-1);
        const { token } = JSON.parse(await page.evaluate(`localStorage.getItem('pagewright ' + location.origin)`));
        const { body: { project } } = await test.call('GET', `/projects/${id}`, undefined, { token });
        expect(project).to.include({ title: 'My window', visibility: 'private' });
        expect(project.author.username).to.equal(name);
        const { body: { pages } } = await test.call('GET', `/users/${project.user_id}/projects/${id}/pages`, undefined, { token });
        expect(pages[0].elements[0].attributes).to.equal({ text: 'Rain' });
    });

    it('has its parts in two rows on a phone at most, in each language, and the others behind a button', async () => {
        const page = await open('/sign-in', { viewport: { width: 360, height: 740 } });
        await enter(page, await test.open(newName()));
        const languages = await page.evaluate<string>('document.documentElement.dataset.languages');
        for (const [language, part] of languages.split(' ').flatMap((each) => ['shared', 'blocked', 'webhooks'].map((one) => [each, one] as const))) {
            await page.goto(`${test.url}/account/${part}?lang=${language}`);
            await ready(page);
            const nav = page.locator('.account > nav');
            const rows = (): Promise<number> => nav.locator(':is(a, summary, button):visible').evaluateAll((all) => new Set(all.map((one) => one.getBoundingClientRect().top)).size);
            expect(await rows(), `${part} in ${language}`).to.be.at.most(2);
            expect(await nav.locator('[aria-current]:visible').count()).to.equal(1);
            await nav.locator('[aria-expanded]').click();
            await nav.locator('a[href*="/account/trash"]').click();
            await page.waitForURL(/trash/);
        }
    });

    it('says at each field what is wrong, and moves the focus there', async () => {
        const taken = await test.open(newName());
        const page = await open('/sign-up');
        await page.getByLabel('Username').fill('two words');
        await page.getByLabel('Password', { exact: true }).fill('short');
        await page.keyboard.press('Enter');
        await page.getByText('Use at least 8 characters.').waitFor();
        expect(await page.locator('[aria-invalid="true"]').count()).to.equal(2);
        await page.locator('input[name=username]:focus').waitFor();

        await page.getByLabel('Username').fill(taken.username.toUpperCase());
        await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
        await page.keyboard.press('Enter');
        await page.getByText('This name is taken. Choose another one.').waitFor();

        await page.goto(`${test.url}/sign-in`);
        await page.getByLabel('Username').fill(taken.username);
        await page.getByLabel('Password', { exact: true }).fill('not the password');
        await page.keyboard.press('Enter');
        await page.getByRole('alert').filter({ hasText: 'The name or the password is wrong.' }).waitFor();
    });

    it('goes back to where one was, and to no other site', async () => {
        const { username } = await test.open(newName());
        const target = '/account/trash?x=1';
        const page = await open('/sign-in');
        // Signs out by then, and not while a page still works.
        await page.addInitScript('location.pathname === "/sign-in" && localStorage.clear()');
        const asked: readonly (readonly [back: string, where: string])[] = [
            [target, target], ['/x/../account/trash?x=1', target], [`/account/trash?x=1#//evil.example/`, `${target}#//evil.example/`], ['/evil.example//', '/evil.example//'],
            ...[
                '//evil.example/', '///evil.example/', '/\\evil.example', '/\\/evil.example', '\\\\evil.example/', 'https://evil.example/', 'https:evil.example', 'javascript:alert(1)', 'data:text/html,x',
                '/.//evil.example/', '/x/..//evil.example/', '/x/../../..//evil.example/', '/%2e//evil.example/', '/./\\evil.example/', '/x/%2e%2e//evil.example/', '/\t/evil.example/', '/\n/evil.example', ' //evil.example/',
                'evil.example', '/sign-in', '/x/../sign-in?back=//evil.example', '/./', 'http://[', ''
            ].map((back) => [back, '/'] as const)
        ];
        for (const [back, where] of asked) {
            await page.goto(`${test.url}/sign-in?back=${encodeURIComponent(back)}`);
            await page.getByLabel('Username').fill(username);
            await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
            await page.keyboard.press('Enter');
            await page.waitForURL((url) => url.pathname !== '/sign-in' || url.origin !== test.url);
            expect(page.url(), back).to.equal(`${test.url}${where}`);
        }

        expect(wrong.splice(0)).to.equal([]);
    });

    it('shows one\'s projects, changes who sees them, deletes, restores and downloads them', async () => {
        const ana = await test.open(newName());
        const project = await newProject(ana, 'Birds');
        const page = await open('/sign-in');
        await enter(page, ana);
        await page.goto(`${test.url}/account`);
        await page.getByLabel('Who can see “Birds”').selectOption('private');
        await told(page, 'You and members');
        expect((await test.call('GET', `/projects/${project}`)).status).to.equal(404);
        await page.getByLabel('Show').selectOption('public');
        await page.getByText('You have no such projects.').waitFor();
        await page.getByLabel('Show').selectOption('private');

        await page.getByRole('button', { name: 'Download “Birds”' }).click();
        await page.getByLabel('As', { exact: true }).selectOption('The zip with its history');
        const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('dialog').getByRole('button', { name: 'Download' }).click()]);
        expect(file.suggestedFilename()).to.equal('Birds.zip');
        const zip = await file.path();
        expect(readFileSync(zip).subarray(0, 2).toString()).to.equal('PK');

        await page.getByRole('button', { name: 'Delete “Birds”' }).click();
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
        await page.locator('button[aria-label="Delete “Birds”"]:focus').waitFor();
        await page.keyboard.press('Enter');
        await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
        await told(page, '“Birds” is in your trash.');

        await page.goto(`${test.url}/account/trash`);
        await page.getByRole('button', { name: 'Restore: Project “Birds”' }).click();
        await told(page, 'Restored');
        await page.getByText('There is nothing in the trash.').waitFor();

        await page.goto(`${test.url}/account/files`);
        await page.getByLabel('File', { exact: true }).setInputFiles(zip);
        await button(page, 'Import').click();
        await page.waitForURL(/\/edit\/\d+$/);
        expect(page.url().split('/').at(-1)).to.not.equal(project);

        await page.goto(`${test.url}/account/trash`);
        await page.getByText('There is nothing in the trash.').waitFor();
        await test.call('DELETE', `/users/me/projects/${project}`, {}, { token: ana.token });
        await page.reload();
        await page.getByRole('button', { name: 'Delete for good: Project “Birds”' }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Delete for good' }).click();
        await told(page, 'It is deleted for good.');
        expect((await test.call('GET', '/users/me/trash', undefined, { token: ana.token })).body.trash).to.equal([]);

        await page.goto(`${test.url}/account/files`);
        const [everything] = await Promise.all([page.waitForEvent('download'), button(page, 'Download everything').click()]);
        expect(everything.suggestedFilename()).to.equal(`${ana.username}.zip`);
    });

    it('shows the pictures of projects under each name of the place, and a letter for a picture of another place', async () => {
        const ana = await test.open(newName());
        const [here, elsewhere] = [await newProject(ana, 'Here'), await newProject(ana, 'Elsewhere')];
        const drawing = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"><circle cx="20" cy="15" r="10"/></svg>');
        expect((await test.call('PUT', `/users/me/projects/${here}/thumbnail`, drawing, { token: ana.token, headers: { 'content-type': 'image/svg+xml' } })).status).to.equal(200);
        await test.call('PATCH', `/users/me/projects/${elsewhere}`, { thumbnail: { 320: `https://other.example/assets/${'0'.repeat(64)}` } }, { token: ana.token });
        const other = test.url.replace('127.0.0.1', 'localhost');
        const page = await (await browser.newContext({ locale: 'en-US' })).newPage();
        await page.goto(`${other}/sign-in`);
        await enter(page, ana);
        await page.goto(`${other}/account`);
        await page.locator('.letter', { hasText: 'E' }).waitFor();
        expect(await page.locator('article img').count()).to.equal(1);
        expect(await page.evaluate(`(async (picture) => (await picture.decode(), new URL(picture.src).origin))(document.querySelector('article img'))`)).to.equal(other);
    });

    it('joins a project by the address of an invitation, also without an account before, and leaves it', async () => {
        const teacher = await test.open(newName());
        const project = await newProject(teacher, 'Our trip');
        const path = `/users/${teacher.id}/projects/${project}`;
        await test.call('PATCH', path, { visibility: 'private' }, { token: teacher.token });
        const { body } = await test.call('POST', `${path}/invitations`, { role: 'editor', uses: 2 }, { token: teacher.token });
        const page = await open(`/account/join#${body.invitation.code}`);
        await page.getByRole('link', { name: 'Open an account' }).click();
        await page.getByLabel('Username').fill(newName());
        await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
        await button(page, 'Open an account').click();
        await button(page, 'Join').click();
        await page.waitForURL(`${test.url}/edit/${project}`);

        await page.goto(`${test.url}/account/shared`);
        await page.getByRole('button', { name: 'Leave “Our trip”' }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click();
        await told(page, 'You have left “Our trip”.');
        await page.getByLabel('Invitation code').fill('wrong');
        await button(page, 'Join').click();
        await page.locator('form .problem', { hasText: 'This code is wrong, has expired or is used up. Ask for a new one where you got it.' }).waitFor();
    });

    it('makes collections, and puts projects into an order', async () => {
        const ana = await test.open(newName());
        const ids = [await newProject(ana, 'One'), await newProject(ana, 'Two')];
        const page = await open('/sign-in');
        await enter(page, ana);
        await page.goto(`${test.url}/account/collections`);
        await button(page, 'New collection').click();
        await page.getByLabel('Title').fill('Green');
        await button(page, 'Save').click();
        await page.waitForURL(/\/account\/collections\?id=\d+$/);
        const collection = new URL(page.url()).searchParams.get('id');
        for (const id of ids) {
            await page.getByRole('textbox', { name: 'Add a project' }).fill(`${test.url}/p/${id}`);
            await button(page, 'Add').click();
            await page.locator(`h2 a[href="/p/${id}"]`).waitFor();
        }

        await page.getByRole('button', { name: 'Move up: “Two”' }).click();
        await told(page, '“Two” is at position 1.');
        await page.getByRole('button', { name: 'Take out “One”' }).click();
        await told(page, 'The project is taken out.');
        const { body } = await test.call('GET', `/collections/${collection}`, undefined, { token: ana.token });
        expect(body.projects.map(({ title }: { title: string }) => title)).to.equal(['Two']);
        await page.goto(`${test.url}/account/collections`);
        await page.getByRole('button', { name: 'Delete “Green”' }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
        await page.getByText('You have no collections yet.').waitFor();
    });

    it('changes the name and the password, ends sessions, and closes the account', async () => {
        const ana = await test.open(newName());
        const page = await open('/sign-in');
        await page.getByLabel('Username').fill(ana.username);
        await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
        await button(page, 'Sign in').click();
        await page.waitForURL(`${test.url}/`);

        await page.goto(`${test.url}/account/sessions`);
        await page.getByText('This browser').waitFor();
        await page.getByRole('button', { name: 'End: Without a name' }).click();
        await told(page, 'It is signed out.');
        expect((await test.call('GET', '/tokens', undefined, { token: ana.token })).status).to.equal(401);

        await page.goto(`${test.url}/account/profile`);
        const renamed = newName();
        await page.getByLabel('Username').fill(renamed);
        await page.getByLabel('A line about yourself').fill(' I draw birds. ');
        await page.getByLabel('Language', { exact: true }).selectOption('ru');
        await button(page, 'Save').click();
        await told(page, 'Your profile is saved.');
        await page.locator('nav.session', { hasText: renamed }).waitFor();
        expect(await (await fetch(`${test.url}/u/${renamed}`)).text()).to.contain('<p class="description" dir="auto">I draw birds.</p>');
        await page.getByLabel('Current password').fill('not the password');
        await page.getByLabel('New password').fill('a better password');
        await button(page, 'Change the password').click();
        await page.getByText('This is not your current password.').waitFor();
        await page.getByLabel('Current password').fill(PASSWORD);
        await button(page, 'Change the password').click();
        await told(page, 'Your password is changed.');
        expect((await test.call('POST', '/tokens', { username: renamed, password: 'a better password' })).body.user.locale.language).to.equal('ru');

        await button(page, 'Close my account').click();
        await page.getByLabel('Enter your username').fill('somebody');
        await button(page, 'Continue').click();
        await page.getByText('This is not your username.').waitFor();
        await page.getByLabel('Enter your username').fill(renamed);
        await button(page, 'Continue').click();
        await page.getByRole('dialog').getByRole('button', { name: 'Close my account' }).click();
        await page.waitForURL(`${test.url}/`);
        expect((await test.call('POST', '/tokens', { username: renamed, password: 'a better password' })).status).to.equal(401);
        expect(await page.evaluate('Object.keys(localStorage).filter((key) => key.startsWith("pagewright http")).length')).to.equal(0);
    });

    it('lets a moderator decide about a reported project, suspend its author, and read the log; nobody else', async () => {
        const [author, reader, moderator] = [await test.open(newName()), await test.open(newName()), await newModerator()];
        const title = `Win a phone ${randomBytes(3).toString('hex')}`;
        const project = await newProject(author, title);
        await test.call('POST', `/projects/${project}/reports`, { reason: 'spam', text: 'All links lead to a <b>shop</b>' }, { token: reader.token });

        const page = await open('/moderation');
        await page.getByText('This page is for moderators. Sign in first.').waitFor();
        await enter(page, reader);
        await page.reload();
        await page.getByRole('heading', { name: 'This page is for moderators' }).waitFor();
        await enter(page, moderator);
        await page.reload();
        const row = page.locator('article', { hasText: title });
        await row.getByText('What they say').click();
        await row.getByText('All links lead to a <b>shop</b>').waitFor();
        await row.getByRole('button', { name: `Hold “${title}”` }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Hold' }).click();
        await page.getByText('Please fill this in.').waitFor();
        await page.getByLabel('Note').fill('All links lead to a shop');
        await page.getByRole('dialog').getByRole('button', { name: 'Hold' }).click();
        await told(page, `Decided: “${title}”`);
        expect((await test.call('GET', `/projects/${project}`)).status).to.equal(404);

        // Its author reads the note.
        const theirs = await open('/sign-in');
        await enter(theirs, author);
        await theirs.goto(`${test.url}/account`);
        await theirs.getByText('The reason: All links lead to a shop').waitFor();

        await page.goto(`${test.url}/moderation?view=project&id=${project}`);
        await button(page, 'Release').click();
        await told(page, `“${title}” is released.`);
        await button(page, 'Feature').click();
        await told(page, `“${title}” is featured.`);
        expect((await test.call('GET', `/projects/${project}`)).body.project.featured).to.be.true();
        await button(page, 'Feature no longer').click();
        await told(page, `“${title}” is no longer featured.`);

        // What moderators removed is told by its own words.
        const { pages: [sheet] } = (await test.call('GET', `/users/${author.id}/projects/${project}/pages`)).body;
        const inside = `/users/me/projects/${project}/pages/${sheet.id}/elements`;
        const { element } = (await test.call('POST', inside, { type: 'text', attributes: { text: 'Call now' } }, { token: author.token })).body;
        await test.call('DELETE', `/users/${author.id}/projects/${project}/pages/${sheet.id}/elements/${element.id}`, undefined, { token: moderator.token });
        await button(page, `What was removed of ${author.username}`).click();
        await page.getByRole('heading', { name: `Text “Call now” of “${title}”` }).waitFor();

        await button(page, `Suspend ${author.username}`).click();
        await page.getByLabel('Reason').fill('Spam again');
        await page.getByLabel('For how long').selectOption('1');
        await page.getByRole('dialog').getByRole('button', { name: 'Suspend', exact: true }).click();
        await told(page, `${author.username} is suspended.`);
        await theirs.getByLabel('Title of a new project').fill('Win a car');
        await button(theirs, 'Create').click();
        await theirs.getByText('The reason: Spam again').waitFor();
        await button(page, `End the suspension of ${author.username}`).click();
        await told(page, `${author.username} is no longer suspended.`);

        await button(page, 'Remove').click();
        await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
        await page.locator('article').first().waitFor({ state: 'detached' });
        expect((await test.call('GET', `/users/me/projects/${project}`, undefined, { token: author.token })).status).to.equal(404);

        await page.goto(`${test.url}/moderation?view=log`);
        const entries = page.locator('article', { hasText: `about ${author.username}` });
        await entries.first().waitFor();
        expect((await entries.locator('h2').allTextContents()).slice(0, 7)).to.equal(['Removed', 'Suspension ended', 'Suspended', 'Read a trash', 'Removed', 'Featured no longer', 'Featured']);
    });

    it('needs no mouse: signs in, makes a project, deletes it and signs out by keyboard', async () => {
        const { username } = await test.open(newName());
        const page = await open('/sign-in?back=%2Faccount');
        const tabTo = async (name: RegExp): Promise<void> => {
            for (let steps = 0; steps < 60; ++steps) {
                await page.keyboard.press('Tab');
                const [text, isSeen]: [string, boolean] = await page.evaluate(`[(document.activeElement.getAttribute('aria-label') ?? document.activeElement.labels?.[0]?.textContent ?? document.activeElement.textContent), getComputedStyle(document.activeElement).outlineStyle !== 'none']`);
                if (name.test(text)) {
                    expect(isSeen, text).to.be.true();
                    return;
                }
            }

            throw new Error(`The tab key does not reach ${name}`);
        };

        await page.locator('input[name=username]:focus').waitFor();
        await page.keyboard.type(username);
        await tabTo(/^Password$/);
        await page.keyboard.type(PASSWORD);
        await page.keyboard.press('Enter');
        await page.waitForURL(`${test.url}/account`);
        await ready(page);
        await tabTo(/^Title of a new project$/);
        await page.keyboard.type('By keyboard');
        await page.keyboard.press('Enter');
        await page.waitForURL(/\/edit\//);
        await page.goto(`${test.url}/account`);
        await ready(page);
        await tabTo(/^Delete “By keyboard”$/);
        await page.keyboard.press('Enter');
        await page.getByRole('dialog').waitFor();
        await tabTo(/^Delete$/);
        await page.keyboard.press('Enter');
        await told(page, 'is in your trash');
        await page.locator('#root h1:focus').waitFor();
        await page.reload();
        await ready(page);
        await tabTo(/^Sign out$/);
        await page.keyboard.press('Enter');
        await page.waitForURL(`${test.url}/`);
        await page.getByRole('link', { name: 'Sign in' }).waitFor();
    });

    it('has caused no error in a page, broken no rule of the policy, and asked no other host', () => {
        expect(wrong).to.equal([]);
        expect(test.errors()).to.equal([]);
    });
});
