import { randomBytes } from 'node:crypto';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Browser, Page } from 'playwright-core';

import { keepSending } from '../../src/accounts/webhooks/jobs';
import { startAppsServer } from '../support/apps';
import type { AppsServer } from '../support/apps';
import { openAuthor } from '../support/authoring';
import type { Author } from '../support/authoring';
import { faultsOn } from '../support/axe';
import { launchChromium } from '../support/chromium';
import { until } from '../support/host';
import { build } from '../support/program';
import { startReceiver, verified } from '../support/receiver';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const looks = [{ width: 1280, locale: 'en-US', touch: false }, { width: 390, locale: 'en-US', touch: true }];

describe('webhooks, at /account', () => {
    let test: AppsServer;
    let browser: Browser;
    let endSending: () => Promise<void>;
    const wrong: string[] = [];

    before(async () => {
        await build();
        test = await startAppsServer({ config: { webhooksTo: ['127.0.0.0/8'] } });
        endSending = keepSending({ db: test.database.db, logger: { warn: () => undefined, info: () => undefined }, to: ['127.0.0.0/8'], every: 50 });
        browser = await launchChromium();
    });

    after(async () => {
        await browser?.close();
        await endSending?.();
        await test?.stop();
    });

    const open = async ({ id, username, token }: Author, { width, locale, touch }: typeof looks[number]): Promise<Page> => {
        const context = await browser.newContext({ viewport: { width, height: 844 }, locale, hasTouch: touch, isMobile: touch, reducedMotion: 'reduce' });
        await context.addInitScript(`localStorage.setItem('pagewright ' + location.origin, ${JSON.stringify(JSON.stringify({ token, tokenId: null, user: { id, username } }))})`);
        const page = await context.newPage();
        page.setDefaultTimeout(60_000);
        page.on('pageerror', ({ message }) => void (message.includes('ViewTransition') || wrong.push(message)));
        await page.goto(`${test.url}/account/webhooks`);
        return page;
    };

    const look = async (page: Page, name: string): Promise<void> => {
        expect(await faultsOn(page), name).to.equal([]);
        expect(await page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth'), name).to.be.true();
        if (process.env.SHOTS !== undefined) {
            await page.screenshot({ path: `${process.env.SHOTS}/${name}.png`, fullPage: true });
        }
    };

    for (const way of looks) {
        it(`are made with a secret that is shown once, tell what happens, are tested, and sent again, ${way.touch ? 'by touch' : 'by keys'} at ${way.width} px`, async () => {
            const receiver = await startReceiver();
            const ada = await openAuthor(test, `wh-${randomBytes(4).toString('hex')}`);
            const [project, other] = [await ada.project({ title: 'Birds' }), await ada.project({ title: 'Trees' })];
            const page = await open(ada, way);
            const dialog = page.getByRole('dialog');
            const press = async (name: string | RegExp, within: Page | ReturnType<Page['getByRole']> = page): Promise<void> => {
                const button = within.getByRole('button', { name, exact: true });
                await button.waitFor();
                if (way.touch) {
                    await button.tap();
                }
                else {
                    await button.focus();
                    await page.keyboard.press('Enter');
                }
            };

            await page.getByText('You have no webhooks.').waitFor();
            await press('New webhook');
            await dialog.getByLabel('Birds').waitFor();
            expect(await page.evaluate('document.activeElement.name')).to.equal('url');
            await dialog.getByLabel('Address').fill(receiver.url);
            for (const event of await dialog.locator('input[name*="."]').all()) {
                await event.uncheck();
            }

            await press('Save', dialog);
            await dialog.getByText('Choose at least one thing that it is told.').waitFor();
            await dialog.getByLabel('A project was changed').check();
            await dialog.getByLabel('Birds').check();
            await look(page, `webhook-new-${way.width}`);
            await press('Save', dialog);
            const shown = dialog.locator('code');
            await shown.waitFor();
            const secret = String(await shown.textContent());
            expect(secret).to.match(/^whsec_[A-Za-z0-9+/]{43}=$/);
            await look(page, `webhook-secret-${way.width}`);
            await page.keyboard.press('Escape');
            await dialog.waitFor({ state: 'detached' });
            expect(await page.content()).to.not.contain(secret);
            await page.reload();
            const row = page.getByRole('article');
            await row.getByText('for 1 project only').waitFor();
            expect(await page.content()).to.not.contain(secret);
            expect(JSON.stringify(await page.context().storageState())).to.not.contain(secret);

            // It tells of what was chosen, and a program can check it.
            await ada.call('PATCH', other.url, { title: 'Oaks' });
            await ada.call('PATCH', project.url, { title: 'Owls' });
            await until(() => receiver.received.length === 1);
            const [first] = receiver.received;
            expect(first && verified(first, secret)).to.include({ type: 'project.changed' });

            // Changed: all projects, and one more event.
            await press(`Change ${receiver.url}`);
            await dialog.getByLabel('Owls').waitFor();
            expect(await dialog.getByLabel('Owls').isChecked()).to.be.true();
            await dialog.getByLabel('Owls').uncheck();
            await dialog.getByLabel('A project was moved to the trash').check();
            await press('Save', dialog);
            await row.getByText('for all of your own projects').waitFor();
            const { body: { webhooks: [changed] } } = await ada.call('GET', '/users/me/webhooks');
            expect([changed.events, changed.projects]).to.equal([['project.changed', 'project.deleted'], null]);

            // What was sent; a test arrives while one looks, and one can be sent again.
            const sent = page.getByRole('link', { name: `What was sent: ${receiver.url}` });
            await (way.touch ? sent.tap() : sent.press('Enter'));
            await page.getByRole('heading', { name: 'A project was changed' }).waitFor();
            await press('Send a test');
            await page.getByRole('article').filter({ hasText: 'Test' }).getByText('Arrived').waitFor();
            expect(receiver.received).to.have.length(2);
            receiver.answer = (response) => response.writeHead(500).end();
            await press(/^Send again: A project was changed/);
            const changedRow = page.getByRole('article').filter({ hasText: 'A project was changed' });
            await changedRow.getByText('The answer was 500').waitFor();
            await changedRow.getByText('Waits').waitFor();
            await changedRow.getByText('2 attempts').waitFor();
            expect(receiver.received[2]?.headers['webhook-id']).to.equal(receiver.received[0]?.headers['webhook-id']);
            await look(page, `webhook-sent-${way.width}`);

            // Its owner switches it off, which is asked first.
            const back = page.getByRole('link', { name: 'All webhooks' });
            await (way.touch ? back.tap() : back.press('Enter'));
            await press(`Switch off: ${receiver.url}`);
            await press('Cancel', dialog);
            await press(`Switch off: ${receiver.url}`);
            await press('Switch off', dialog);
            await row.getByText('Off', { exact: true }).waitFor();
            await press(`Switch on: ${receiver.url}`);
            await row.getByText('On', { exact: true }).waitFor();

            // The service has switched it off: the page says why.
            receiver.answer = (response) => response.writeHead(410).end();
            await ada.call('PATCH', project.url, { title: 'Gone' });
            await until(async () => (await ada.call('GET', '/users/me/webhooks')).body.webhooks[0].reason === 'gone');
            await page.reload();
            await row.getByText('your program answered 410').waitFor();
            await look(page, `webhook-off-${way.width}`);
            // What it was not told is sent again at once, and would switch it off again.
            receiver.answer = (response) => response.writeHead(204).end();
            await press(`Switch on: ${receiver.url}`);
            await row.getByText('On', { exact: true }).waitFor();
            expect(await row.getByText('410').count()).to.equal(0);

            // Another secret; then it goes.
            await press(`New secret for ${receiver.url}`);
            await press('New secret', dialog);
            await shown.waitFor();
            const next = String(await shown.textContent());
            expect(next).to.match(/^whsec_/).and.to.not.equal(secret);
            await press('I have copied it', dialog);
            await dialog.waitFor({ state: 'detached' });
            expect(await page.content()).to.not.contain(next);
            await press(`Delete ${receiver.url}`);
            await press('Cancel', dialog);
            expect((await ada.call('GET', '/users/me/webhooks')).body.webhooks).to.have.length(1);
            await press(`Delete ${receiver.url}`);
            await press('Delete', dialog);
            await page.getByText('You have no webhooks.').waitFor();
            expect((await ada.call('GET', '/users/me/webhooks')).body.webhooks).to.equal([]);
            receiver.stop();
            expect(wrong).to.equal([]);
            await page.context().close();
        });
    }

    it('keep projects that are not in one\'s lists any more, until they are taken out, and read from right to left', async () => {
        const [ada, bea] = [await openAuthor(test, `wh-${randomBytes(4).toString('hex')}`), await openAuthor(test, `wh-${randomBytes(4).toString('hex')}`)];
        const [own, gone, hers] = [await ada.project({ title: 'طيور' }), await ada.project({ title: 'Gone' }), await bea.project({ title: 'Hers', visibility: 'private' })];
        await bea.call('PUT', `${hers.url}/members/${ada.username}`, { role: 'viewer' });
        await ada.call('POST', '/users/me/webhooks', { url: 'http://127.0.0.1:9/in', events: ['project.held'], projects: [own.id, gone.id, hers.id] });
        await ada.call('DELETE', gone.url, {});
        const page = await open(ada, { width: 390, locale: 'ar', touch: true });
        await page.getByRole('button', { name: 'تغيير http://127.0.0.1:9/in' }).tap();
        const dialog = page.getByRole('dialog');
        for (const name of ['طيور', `المشروع ${gone.id}`, 'Hers']) {
            await dialog.getByLabel(name).waitFor();
            expect(await dialog.getByLabel(name).isChecked(), name).to.be.true();
        }

        await look(page, 'webhook-ar-390');
        await dialog.getByLabel(`المشروع ${gone.id}`).tap();
        await dialog.getByLabel('طيور').tap();
        await dialog.getByRole('button', { name: 'حفظ' }).tap();
        await dialog.waitFor({ state: 'detached' });
        expect((await ada.call('GET', '/users/me/webhooks')).body.webhooks[0].projects).to.equal([hers.id]);
        expect(wrong).to.equal([]);
        await page.context().close();
    });
});
