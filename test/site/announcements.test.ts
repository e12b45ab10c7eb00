import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Browser, Page } from 'playwright-core';

import { readConfig } from '../../src/config/index';
import { currentAnnouncements } from '../../src/site/current-announcements';
import type { ShownAnnouncement } from '../../src/site/shown';
import { faultsOn } from '../support/axe';
import { launchChromium } from '../support/chromium';
import { build } from '../support/program';
import { startTestServer } from '../support/server';
import type { Actor, TestServer } from '../support/server';

export const lab = Lab.script();
const { after, afterEach, before, describe, it } = lab;

const HOUR = 3600_000;
const evil = '<script>alert(1)</script><img src=x onerror="alert(2)">&amp; "quotes"';

describe('announcements above the pages', () => {
    let test: TestServer;
    let browser: Browser;
    let staff: Actor;
    let url: string;
    let clock = Date.now();
    const wrong: string[] = [];

    before(async () => {
        await build();
        test = await startTestServer({ config: { site: readConfig({}).site }, now: () => clock });
        await test.server.start();
        url = `http://127.0.0.1:${test.server.info.port}`;
        staff = await test.open();
        await test.database.db.raw('update users set staff = true where id = ?', [staff.id]);
        browser = await launchChromium();
    });

    after(async () => {
        await browser?.close();
        await test?.stop();
    });

    afterEach(async () => {
        await Promise.all(browser.contexts().map((context) => context.close()));
        await test.database.db.raw('delete from announcements');
        clock = Date.now();
        expect(wrong.splice(0)).to.equal([]);
    });

    const announce = async (text: string, more: object = {}): Promise<string> => {
        const { status, body } = await test.call('POST', '/admin/announcements', { text, until: new Date(Date.now() + HOUR).toISOString(), ...more }, { token: staff.token });
        expect(status).to.equal(201);
        return body.announcement.id;
    };

    const windowOf = async (path: string, { width = 1280, colorScheme = 'light', scripts = true }: { width?: number; colorScheme?: 'light' | 'dark'; scripts?: boolean } = {}): Promise<Page> => {
        const context = await browser.newContext({ viewport: { width, height: 844 }, colorScheme, locale: 'en-US', reducedMotion: 'reduce', javaScriptEnabled: scripts });
        // All movements since the page began, whether or not somebody did something.
        await context.addInitScript('globalThis.moved = 0; new PerformanceObserver((list) => { for (const { value } of list.getEntries()) globalThis.moved += value; }).observe({ type: "layout-shift", buffered: true });');
        const page = await context.newPage();
        page.setDefaultTimeout(30_000);
        page.on('pageerror', ({ message }) => void (message.includes('ViewTransition') || wrong.push(message)));
        page.on('console', (message) => void (/Content.Security.Policy/i.test(message.text()) && wrong.push(message.text())));
        await page.goto(`${url}${path}`);
        return page;
    };

    const shown = async (path: string): Promise<boolean> => (await test.call('GET', path, undefined, { headers: { accept: 'text/html' } })).text.includes('class="announcement ');

    const project = async (): Promise<string> => (await test.call('POST', '/users/me/projects', { title: 'A small book' }, { token: staff.token })).body.project.id;

    it('are on all pages, also on those that are not there, but in no frame of another site and no feed', async () => {
        const id = await project();
        const paths = ['/', '/browse/new', '/find?q=a', `/u/${staff.username}`, `/p/${id}`, '/welcome', '/sign-in', '/account', '/moderation', '/admin', '/classes', `/edit/${id}`, '/p/999999999', '/nothing/here'];
        for (const path of paths) {
            expect(await shown(path), path).to.be.false();
        }

        const announcement = await announce('We close at eight.');
        for (const path of paths) {
            expect(await shown(path), path).to.be.true();
        }

        for (const path of [`/p/${id}/embed`, '/discover/feed.atom']) {
            expect((await test.call('GET', path)).text, path).to.not.contain('We close at eight.');
        }

        expect((await test.call('DELETE', `/admin/announcements/${announcement}`, undefined, { token: staff.token })).status).to.equal(200);
        for (const path of paths) {
            expect(await shown(path), path).to.be.false();
        }
    });

    it('end at their time, and change the tag of a page, not that of a feed', async () => {
        const id = await project();
        const tagOf = async (path: string): Promise<unknown> => (await test.call('GET', path)).headers.etag;
        const tags = [await tagOf(`/p/${id}`), await tagOf('/discover/feed.atom')];
        await announce('Soon over', { until: new Date(Date.now() + HOUR).toISOString() });
        expect(await tagOf(`/p/${id}`)).to.not.equal(tags[0]);
        expect(await tagOf('/discover/feed.atom')).to.equal(tags[1]);
        clock += HOUR + 1000;
        expect(await tagOf(`/p/${id}`)).to.equal(tags[0]);
        expect(await shown('/')).to.be.false();
    });

    it('are texts: nothing in them is HTML', async () => {
        await announce(evil, { level: 'warning' });
        const { text } = await test.call('GET', '/');
        expect(text).to.not.match(/<script>|<img src=x/);
        const page = await windowOf('/');
        expect(await page.locator('.announcement span').textContent()).to.equal(evil);
        expect(await page.locator('.announcement strong').textContent()).to.equal('Important:');
    });

    it('are read at most once in a moment, and a page does not fail for them', async () => {
        const one: ShownAnnouncement = { id: '1', text: 'x', level: 'info', until: new Date(5000).toISOString() };
        let [now, reads, fails] = [0, 0, false];
        const current = currentAnnouncements(async () => {
            ++reads;
            await Promise.resolve();
            if (fails) {
                throw new Error('no database');
            }

            return [one];
        }, 1000, () => now);
        expect(current.last).to.equal([]);
        await Promise.all([current.refresh(), current.refresh()]);
        await current.refresh();
        expect(current.last).to.equal([one]);
        expect(reads).to.equal(1);
        now = 1000;
        fails = true;
        await current.refresh();
        expect(reads).to.equal(2);
        expect(current.last).to.equal([one]);
        now = 5000;
        expect(current.last).to.equal([]);
        fails = false;
        await current.refresh();
        now = 4500;
        await current.refresh();
        expect(reads).to.equal(4);
    });

    it('can be read without scripts', async () => {
        await announce('We close at eight.');
        const page = await windowOf('/', { scripts: false });
        await page.getByText('We close at eight.').waitFor();
        expect(await page.locator('.announcement button').isVisible()).to.be.false();
    });

    for (const [width, lang, colorScheme] of [[1280, 'en', 'dark'], [390, 'ar', 'light']] as const) {
        it(`are told to screen readers, dismissed by keyboard for the session, and move nothing, at ${width} px in ${lang}`, async () => {
            await announce(`The service rests on Sunday from 8 to 9. ${'Save what you do. '.repeat(4)}`, { level: 'warning' });
            await announce('نرحب بكم');
            const [id, moved] = [await project(), 'Math.round(globalThis.moved * 1000)'];
            const page = await windowOf(`/?lang=${lang}`, { width, colorScheme });
            const box = page.locator('.announcements');
            const dismiss = lang === 'ar' ? 'إخفاء' : 'Dismiss';
            await box.getByText('Save what you do.').first().waitFor();
            await page.locator('.announcements [role="status"]', { hasText: /8 to 9/ }).waitFor({ state: 'attached' });
            expect(await faultsOn(page)).to.equal([]);
            expect(await page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth')).to.be.true();
            expect(await page.evaluate<number>(moved)).to.equal(0);
            await page.keyboard.press('Tab');
            await page.keyboard.press('Tab');
            expect(await page.evaluate<string>('document.activeElement.innerText')).to.equal(dismiss);
            await page.keyboard.press('Enter');
            // The other one has the focus, and then the content.
            expect(await page.evaluate<string>('document.activeElement.innerText')).to.equal(dismiss);
            expect(await box.locator('.announcement').count()).to.equal(1);

            // It stays away in this tab, and nothing moves for it. What was told is not told again.
            await page.goto(`${url}/p/${id}?lang=${lang}`);
            await page.locator('.sheet').waitFor();
            expect(await box.locator('.announcement').count()).to.equal(1);
            await page.waitForTimeout(1500);
            expect(await page.evaluate<number>(moved)).to.equal(0);
            expect(await box.locator('[role="status"]').textContent()).to.equal('');
            await box.getByRole('button').press('Enter');
            expect(await box.count()).to.equal(0);
            expect(await page.evaluate<string>('document.activeElement.id')).to.equal('content');
            await page.goto(`${url}/account?lang=${lang}`);
            await page.locator('#root h1').waitFor();
            expect(await box.count()).to.equal(0);

            const another = await windowOf(`/?lang=${lang}`, { width });
            expect(await another.locator('.announcement').count()).to.equal(2);
        });

        it(`leave the editor room, at ${width} px in ${lang}`, async () => {
            const id = await project();
            const inside = async (page: Page): Promise<void> => {
                await page.locator('.stage').waitFor();
                const { height, bottom, tools } = await page.evaluate<{ height: number; bottom: number; tools: number }>(`({
                    height: document.documentElement.scrollHeight, bottom: document.querySelector('.editor').getBoundingClientRect().bottom, tools: document.querySelector('.tools').getBoundingClientRect().bottom
                })`);
                expect(height).to.equal(844);
                expect(bottom).to.equal(844);
                expect(tools).to.be.at.most(844);
            };

            const signedIn = JSON.stringify(JSON.stringify({ token: staff.token, tokenId: null, user: { id: staff.id, username: staff.username } }));
            const page = await windowOf('/sign-in', { width, colorScheme });
            await page.evaluate(`localStorage.setItem('pagewright ' + location.origin, ${signedIn})`);
            await page.goto(`${url}/edit/${id}?lang=${lang}`);
            await inside(page);
            await announce('The service rests on Sunday from 8 to 9. Save what you do.', { level: 'warning' });
            await page.reload();
            await inside(page);
            expect(await faultsOn(page, ['.pagewright-page'])).to.equal([]);
            await page.locator('.announcement button').press('Enter');
            await inside(page);
        });
    }
});
