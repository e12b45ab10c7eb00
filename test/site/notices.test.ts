import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Browser, Locator, Page } from 'playwright-core';

import { keepNotifying } from '../../src/community/notices/jobs';
import { readConfig } from '../../src/config/index';
import { keepScanning } from '../../src/files/scans/jobs';
import { openAuthor } from '../support/authoring';
import type { Author } from '../support/authoring';
import { faultsOn } from '../support/axe';
import { launchChromium } from '../support/chromium';
import { hashOf, picture } from '../support/files';
import { listen } from '../support/host';
import { mailSettings } from '../support/mail-server';
import { build } from '../support/program';
import { startTestServer } from '../support/server';
import type { TestServer } from '../support/server';

export const lab = Lab.script();
const { after, afterEach, before, describe, it } = lab;

const ways = [{ name: 'by keys at 1280 px', width: 1280, touch: false }, { name: 'by touch at 390 px', width: 390, touch: true }] as const;
type Way = typeof ways[number];

describe('notices, decisions and appeals', () => {
    let test: TestServer;
    let browser: Browser;
    let url: string;
    const ends: (() => Promise<void>)[] = [];
    const scanner = createServer((request, response) => void request.resume().on('end', () => response.end('{"ok":false,"reason":"A portrait of <b>somebody</b>"}')));
    const wrong: string[] = [];

    before(async () => {
        await build();
        const scanUrl = `http://127.0.0.1:${await listen(scanner)}/`;
        test = await startTestServer({ config: { site: readConfig({}).site, mail: mailSettings, scanUrl } });
        await test.server.start();
        url = `http://127.0.0.1:${test.server.info.port}`;
        const logger = { warn: () => undefined };
        ends.push(keepNotifying(test.database.db, false, logger, 50), keepScanning({ db: test.database.db, assets: test.assets, url: scanUrl, logger, every: 50 }));
        browser = await launchChromium();
    });

    after(async () => {
        await browser?.close();
        await Promise.all(ends.map((end) => end()));
        scanner.close();
        await test?.stop();
    });

    afterEach(async () => {
        await Promise.all(browser.contexts().map((context) => context.close()));
        expect(wrong.splice(0)).to.equal([]);
        expect(test.faults.splice(0)).to.equal([]);
    });

    const newAuthor = (): Promise<Author> => openAuthor(test, `no-${randomBytes(4).toString('hex')}`);

    const newModerator = async (): Promise<Author> => {
        const author = await newAuthor();
        await test.database.db.raw('update users set moderator = true where id = ?', [author.id]);
        return author;
    };

    /** A page in a browser of its own. */
    const open = async (author: Author | undefined, path: string, { width, touch }: Way, lang = 'en'): Promise<Page> => {
        const context = await browser.newContext({ viewport: { width, height: 844 }, locale: lang, hasTouch: touch, isMobile: touch, reducedMotion: 'reduce' });
        if (author !== undefined) {
            const { id, username, token } = author;
            await context.addInitScript(`localStorage.setItem('pagewright ' + location.origin, ${JSON.stringify(JSON.stringify({ token, tokenId: null, user: { id, username } }))})`);
        }

        const page = await context.newPage();
        page.setDefaultTimeout(60_000);
        page.on('pageerror', ({ message }) => void (message.includes('ViewTransition') || wrong.push(message)));
        await page.goto(`${url}${path}`);
        return page;
    };

    /** Whether everybody can read and use it, and it fits. */
    const look = async (page: Page, name: string): Promise<void> => {
        await page.locator('.loading, [aria-busy="true"]').first().waitFor({ state: 'detached' });
        expect(await faultsOn(page, ['.pagewright-page']), name).to.equal([]);
        expect(await page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth'), name).to.be.true();
        expect(await page.textContent('body'), name).to.not.match(/\b(?:notices|decisions|blocked|transparency|moderation|report|ui)\.[a-z_]+\b/);
        if (Number(page.viewportSize()?.width) < 400 && await page.getByRole('dialog').count() === 0) {
            const small = await page.locator('#root .row :is(a, button, summary):visible').evaluateAll((targets) => targets.filter((target) => {
                target.scrollIntoView({ block: 'center' });
                const { left, top, width, height } = target.getBoundingClientRect();
                return [-21, 21].some((from) => !target.contains(document.elementFromPoint(left + width / 2, top + height / 2 + from)));
            }).map(({ outerHTML }) => outerHTML));
            expect(small, `${name}: a finger reaches 44 pixels of each`).to.equal([]);
        }

        if (process.env.SHOTS !== undefined) {
            await page.screenshot({ path: `${process.env.SHOTS}/${name}.png`, fullPage: true });
        }
    };

    const press = async (one: Locator, { touch }: Way): Promise<void> => {
        await one.waitFor();
        if (touch) {
            await one.tap();
        }
        else {
            await one.focus();
            await one.page().keyboard.press('Enter');
        }
    };

    const button = (within: Page | Locator, name: string): Locator => within.getByRole('button', { name, exact: true });
    const bell = (page: Page, label: string): Locator => page.getByRole('banner').getByRole('link', { name: label, exact: true });
    const told = (page: Page, text: string): Promise<void> => page.locator('.said', { hasText: text }).waitFor();

    for (const way of ways) {
        it(`are told by a bell on every page as they come, in all tabs, and are read in one list, ${way.name}`, async () => {
            const [ada, ben] = [await newAuthor(), await newAuthor()];
            const project = await ada.project({ title: 'Birds طيور' });
            const page = await open(ada, '/', way);
            const asked: string[] = [];
            await bell(page, 'Notices').waitFor();
            await page.waitForFunction('navigator.locks.query().then(({ held }) => held.length === 1)');
            const other = await page.context().newPage();
            other.on('request', (request) => void (request.url().includes('/notices/events') && asked.push(request.url())));
            await other.goto(`${url}/u/${ben.username}`);
            await bell(other, 'Notices').waitFor();
            expect((await ben.call('PUT', `/users/me/following/${ada.username}`)).status).to.be.below(300);
            await ben.remix(project);
            for (const each of [page, other]) {
                await bell(each, 'Notices, unread: 2').waitFor();
                expect(await each.locator('.bell b').textContent()).to.equal('2');
            }

            // One tab listens for all.
            expect(asked).to.equal([]);
            await look(page, `bell-${way.width}`);
            await press(bell(page, 'Notices, unread: 2'), way);
            const rows = page.locator('#root article');
            await rows.first().waitFor();
            expect(await rows.locator('h2').allTextContents()).to.have.length(2).and.to.include(`${ben.username} follows you now.`);
            expect(await page.locator('.notice.unread').count()).to.equal(2);
            await look(page, `notices-${way.width}`);
            await press(button(page, 'Mark all as read'), way);
            await told(page, 'All notices are read now.');
            expect(await page.locator('.notice.unread').count()).to.equal(0);
            for (const each of [page, other]) {
                await bell(each, 'Notices').waitFor();
            }

            const daily = page.getByLabel('Send me a mail once a day');
            await daily.check();
            await told(page, 'You get a mail once a day now.');
            expect((await ada.call('GET', '/users/me/notices/letter')).body.letter).to.equal({ daily: true });
            await press(page.getByRole('link', { name: /made a remix of/ }), way);
            await page.getByRole('heading', { name: 'Birds' }).first().waitFor();

            // Guests ask for nothing.
            const guest = await open(undefined, '/browse/new', way);
            const sent: string[] = [];
            guest.on('request', (request) => void sent.push(request.url()));
            await guest.goto(url);
            await guest.waitForLoadState('networkidle');
            expect(await guest.locator('.bell').isVisible()).to.be.false();
            expect(sent.filter((address) => /notices|bell/.test(address))).to.equal([]);
        });

        it(`say why something is held, also to who is suspended, who appeals once; another moderator decides, ${way.name}`, async () => {
            const [ben, mona, mira] = [await newAuthor(), await newModerator(), await newModerator()];
            const project = await ben.project({ title: 'Win a phone' });
            expect((await mona.call('PUT', `/moderation/projects/${project.id}/hold`, { reason: 'All links lead to a <b>shop</b>' })).status).to.equal(200);
            expect((await mona.call('PUT', `/moderation/users/${ben.id}/suspension`, { reason: 'Spam again' })).status).to.equal(200);
            const page = await open(ben, `/p/${project.id}`, way);
            await press(page.getByRole('link', { name: 'Read the decision, and appeal' }), way);
            const row = page.locator('.statement', { hasText: 'Win a phone' });
            await row.getByText('All links lead to a <b>shop</b>').waitFor();
            await page.locator('.statement', { hasText: 'Your account' }).getByText('Spam again').waitFor();
            await look(page, `decisions-${way.width}`);
            await press(button(row, 'Appeal: Your project “Win a phone”'), way);
            const dialog = page.getByRole('dialog');
            await press(button(dialog, 'Send the appeal'), way);
            await dialog.getByText('Please fill this in.').waitFor();
            await dialog.getByLabel('Your words').fill('It is my school.');
            await look(page, `appeal-${way.width}`);
            await press(button(dialog, 'Send the appeal'), way);
            await told(page, 'Your appeal is sent.');
            await row.getByText('Nobody has decided about your appeal yet.').waitFor();
            expect(await row.getByRole('button').count()).to.equal(0);

            // The one who decided cannot decide again; the other one can.
            const own = await open(mona, '/moderation?view=appeals', way);
            const theirs = own.locator('article', { hasText: ben.username });
            await theirs.getByText('You decided this yourself: another moderator decides the appeal.').waitFor();
            await press(button(theirs, 'There is no other moderator'), way);
            await press(button(theirs, `Reverse the decision about ${ben.username}`), way);
            await own.getByRole('dialog').getByLabel('Reason').fill('No');
            await press(button(own.getByRole('dialog'), 'Reverse'), way);
            await own.getByRole('dialog').getByText('another moderator decides about it').waitFor();
            const moderators = await open(mira, '/moderation?view=appeals', way);
            const appealed = moderators.locator('article', { hasText: ben.username });
            await appealed.getByText('It is my school.').waitFor();
            await look(moderators, `appeals-${way.width}`);
            await press(button(appealed, `Reverse the decision about ${ben.username}`), way);
            await moderators.getByRole('dialog').getByLabel('Reason').fill('It is a school.');
            await press(button(moderators.getByRole('dialog'), 'Reverse'), way);
            await told(moderators, `The appeal of ${ben.username} is decided.`);
            await appealed.waitFor({ state: 'detached' });
            expect((await test.call('GET', `/projects/${project.id}`)).status).to.equal(200);
            await page.reload();
            await row.getByText('The decision is taken back.').waitFor();
            await row.getByText('It is a school.').waitFor();
            await look(page, `decided-${way.width}`);
            await page.goto(`${url}/account/notices`);
            await page.getByRole('link', { name: 'Your appeal is decided. Read the answer.' }).waitFor();

            const numbers = await open(undefined, '/transparency', way);
            await numbers.getByRole('heading', { name: 'Appeals' }).waitFor();
            expect(await numbers.textContent('main')).to.contain('decision taken back').and.to.not.contain(ben.username).and.to.not.contain('shop');
            await look(numbers, `transparency-${way.width}`);
        });

        it(`say why a picture is refused or blocked to who has sent it, and show it as long as they can see it, ${way.name}`, async () => {
            const [ben, troll, mona, mira] = [await newAuthor(), await newAuthor(), await newModerator(), await newModerator()];
            const send = async (by: Author): Promise<string> => {
                const bytes = await picture();
                expect((await by.call('PUT', `/users/${by.id}/assets/${hashOf(bytes)}`, bytes, { headers: { 'content-type': 'image/png' } })).status).to.equal(201);
                return hashOf(bytes);
            };

            const hash = await send(ben);
            const page = await open(ben, '/', way);
            await press(bell(page, 'Notices, unread: 1'), way);
            await press(page.getByRole('link', { name: 'Moderators decided about something of yours. Read what, and why.' }), way);
            const row = page.locator('.statement', { hasText: 'A picture that you have sent' });
            await row.getByText('A portrait of <b>somebody</b>').waitFor();
            await row.getByText('Only you can see it.').waitFor();
            await row.locator('img').waitFor();
            expect(await row.locator('img').evaluate((image: HTMLImageElement) => image.decode().then(() => image.naturalWidth))).to.be.above(0);
            await look(page, `refused-${way.width}`);
            await press(button(row, 'Appeal: A picture that you have sent'), way);
            await page.getByRole('dialog').getByLabel('Your words').fill('It is my cat.');
            await press(button(page.getByRole('dialog'), 'Send the appeal'), way);
            await told(page, 'Your appeal is sent.');
            const moderators = await open(mira, '/moderation?view=appeals', way);
            const appealed = moderators.locator('article', { hasText: ben.username });
            await appealed.getByText(hash).waitFor();
            await appealed.getByText('It is my cat.').waitFor();
            await look(moderators, `picture-appeals-${way.width}`);
            expect((await test.call('GET', `/assets/${hash}`)).status).to.equal(404);
            await press(button(appealed, `Reverse the decision about ${ben.username}`), way);
            await moderators.getByRole('dialog').getByLabel('Reason').fill('A cat.');
            await press(button(moderators.getByRole('dialog'), 'Reverse'), way);
            await told(moderators, `The appeal of ${ben.username} is decided.`);
            expect((await test.call('GET', `/assets/${hash}`)).status).to.equal(200);

            // A picture that a moderator blocks, whose sender has become one.
            const other = await send(troll);
            const blocking = await open(mona, '/moderation?view=pictures', way);
            const form = blocking.locator('.part', { has: blocking.getByRole('heading', { name: 'Block a picture', exact: true }) });
            await form.getByLabel('Address of the picture').fill(other);
            await form.getByLabel('Reason').fill('Nobody wants to see this.');
            await press(button(form, 'Block a picture'), way);
            await told(blocking, 'The picture is blocked.');
            const theirs = await open(troll, '/account/decisions', way);
            const blocked = theirs.locator('.statement', { hasText: 'Nobody wants to see this.' });
            await blocked.getByText('It is gone for everybody, and nobody can send it again.').waitFor();
            expect(await blocked.locator('img').count()).to.equal(0);
            await look(theirs, `blocked-picture-${way.width}`);
            await test.database.db.raw('update users set moderator = true where id = ?', [troll.id]);
            const unblock = async (by: Author): Promise<Page> => {
                const tried = await open(by, '/moderation?view=pictures', way);
                const back = tried.locator('.part', { has: tried.getByRole('heading', { name: 'Unblock a picture', exact: true }) });
                await back.getByLabel('Address of the picture').fill(other);
                await back.getByLabel('Reason').fill('It is fine.');
                await press(button(back, 'Unblock a picture'), way);
                return tried;
            };

            await (await unblock(troll)).getByText('another moderator decides about it').waitFor();
            await told(await unblock(mira), 'The picture is not blocked any more.');
            const { body: { entries: [entry] } } = await mira.call('GET', '/moderation/log?count=1');
            expect([entry.act, entry.reason]).to.equal(['unblock_picture', `${other}: It is fine.`]);
        });

        it(`lead from reports of a comment and of a person to decisions, which their reporter reads too, ${way.name}`, async () => {
            const [ada, ben, troll, mona] = [await newAuthor(), await newAuthor(), await newAuthor(), await newModerator()];
            const project = await ada.project({ title: 'Birds' });
            const { body: { comment } } = await troll.call('POST', `/users/${ada.id}/projects/${project.id}/comments`, { text: 'You are all <b>stupid</b>' });
            expect((await ben.call('POST', `/comments/${comment.id}/reports`, { reason: 'hurtful', text: 'Not nice' })).status).to.equal(201);
            expect((await ben.call('POST', `/users/${troll.id}/reports`, { reason: 'spam', text: 'Again and again' })).status).to.equal(201);
            const page = await open(mona, '/moderation', way);
            const dialog = page.getByRole('dialog');
            await page.locator('.bar select').selectOption('comment');
            const written = page.locator('#root article', { hasText: troll.username });
            await written.getByText('You are all <b>stupid</b>').waitFor();
            await written.getByText('on “Birds”').waitFor();
            await look(page, `queue-comments-${way.width}`);
            await press(button(written, `Remove “Comment by ${troll.username}”`), way);
            expect(await dialog.getByLabel('Rule').inputValue()).to.equal('hurtful');
            await dialog.getByLabel('Note').fill('Nobody is stupid.');
            await look(page, `decision-${way.width}`);
            await press(button(dialog, 'Remove'), way);
            await told(page, `Decided: “Comment by ${troll.username}”`);
            await page.locator('.bar select').selectOption('user');
            await press(button(written, `Suspend ${troll.username}`), way);
            await dialog.getByLabel('For how long').selectOption('1');
            await dialog.getByLabel('Note').fill('Rest a day.');
            await press(button(dialog, 'Suspend'), way);
            await told(page, `Decided: “${troll.username}”`);
            await look(page, `queue-${way.width}`);
            const theirs = await open(troll, '/account/decisions', way);
            await theirs.locator('.statement', { hasText: 'Your comment on “Birds”' }).getByText('Nobody is stupid.').waitFor();
            await theirs.locator('.statement', { hasText: 'Your account' }).getByText('Rest a day.').waitFor();
            const reporters = await open(ben, '/account/decisions', way);
            await reporters.getByText('It is removed').waitFor();
            await reporters.getByText('The person is suspended').waitFor();
            await look(reporters, `reports-${way.width}`);
        });

        it(`list whom one has blocked, ${way.name}`, async () => {
            const [ada, troll] = [await newAuthor(), await newAuthor()];
            const page = await open(ada, '/account/blocked', way);
            await page.getByText('You have blocked nobody.').waitFor();
            await page.getByLabel('Username').fill('nobody-of-this-name');
            await press(button(page, 'Block'), way);
            await page.getByText('It was not found.').waitFor();
            await page.getByLabel('Username').fill(troll.username);
            await press(button(page, 'Block'), way);
            await told(page, `${troll.username} is blocked.`);
            await page.locator('article', { hasText: troll.username }).waitFor();
            await look(page, `blocked-${way.width}`);
            await press(button(page, `Unblock ${troll.username}`), way);
            await told(page, `${troll.username} is not blocked any more.`);
            expect((await ada.call('GET', '/users/me/blocks')).body.blocks).to.equal([]);
        });
    }

    it('call pupils by the names of their class', async () => {
        const [ada, ben, mia] = [await newAuthor(), await newAuthor(), await newAuthor()];
        await test.database.db.raw('update users set teacher = true where id = ?', [ada.id]);
        const { body: { class: { id }, code } } = await ada.call('POST', '/users/me/classes', { title: 'Year 5' });
        await ben.call('POST', '/classes', { code });
        expect((await ada.call('PATCH', `/classes/${id}/pupils/${ben.id}`, { name: 'Ben B.' })).status).to.equal(200);
        await ben.remix(await ada.project({ title: 'Birds' }));
        await mia.call('PUT', `/users/me/following/${ada.username}`);
        const page = await open(ada, '/account/notices', ways[0]);
        await page.locator('.notice').nth(1).waitFor();
        expect((await page.locator('.notice h2').allTextContents()).sort()).to.equal(['Ben B. made a remix of “Birds”.', `${mia.username} follows you now.`].sort());
    });

    it('are there from right to left', async () => {
        const [ada, ben, mona] = [await newAuthor(), await newAuthor(), await newModerator()];
        const project = await ada.project({ title: 'Birds' });
        await ben.remix(project);
        await mona.call('PUT', `/moderation/projects/${project.id}/hold`, { reason: 'A shop' });
        const page = await open(ada, '/account/notices', ways[1], 'ar');
        await page.locator('.notice').nth(1).waitFor();
        await look(page, 'notices-ar');
        await page.goto(`${url}/account/decisions`);
        await page.locator('.statement').waitFor();
        await look(page, 'decisions-ar');
    });
});
