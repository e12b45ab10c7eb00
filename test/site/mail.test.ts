import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Browser, Locator, Page } from 'playwright-core';

import { keepMailing } from '../../src/accounts/mail/jobs';
import { startAppsServer } from '../support/apps';
import type { AppsServer } from '../support/apps';
import { openAuthor } from '../support/authoring';
import { faultsOn } from '../support/axe';
import { launchChromium } from '../support/chromium';
import { until } from '../support/host';
import { keyIn, mailTo, startMailServer } from '../support/mail-server';
import type { MailServer } from '../support/mail-server';
import { PASSWORD } from '../support/passwords';
import { build } from '../support/program';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const FRESH = 'staple of another kind';

describe('mail on the pages', () => {
    let mails: MailServer;
    let test: AppsServer;
    let browser: Browser;
    let end: () => Promise<void>;

    before(async () => {
        await build();
        mails = await startMailServer();
        test = await startAppsServer();
        end = keepMailing({ db: test.database.db, logger: { warn: () => undefined, info: () => undefined }, mail: { ...mailTo(mails), origin: test.url }, every: 50 });
        browser = await launchChromium();
    });

    after(async () => {
        await browser?.close();
        await end?.();
        await mails?.stop();
        await test?.stop();
    });

    const open = async (width: number, locale = 'en-US'): Promise<Page> => {
        const context = await browser.newContext({ viewport: { width, height: 844 }, locale, reducedMotion: 'reduce', hasTouch: width < 600 });
        const page = await context.newPage();
        page.setDefaultTimeout(30_000);
        return page;
    };

    const look = async (page: Page, name: string): Promise<void> => {
        expect(await faultsOn(page), name).to.equal([]);
        expect(await page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth'), name).to.be.true();
        if (process.env.SHOTS !== undefined) {
            await page.screenshot({ path: `${process.env.SHOTS}/mail-${name}.png`, fullPage: true });
        }
    };

    /** The link in the last mail to an address. */
    const linkTo = async (address: string, path: string): Promise<string> => {
        const found = (): string | undefined => mails.received.findLast((mail) => mail.to[0] === address && mail.text.includes(path))?.text;
        await until(() => found() !== undefined);
        const key = keyIn({ text: found() ?? '' });
        mails.received.length = 0;
        return `${test.url}${path}#${key}`;
    };

    for (const width of [1280, 390]) {
        it(`gives an address, confirms it, and replaces a password that was forgotten, at ${width} px`, async () => {
            const { username } = await openAuthor(test, `ada-${width}`);
            const address = `ada-${width}@mail.example`;
            const page = await open(width);
            const press = (locator: Locator): Promise<void> => (width < 600 ? locator.tap() : locator.click());
            const button = (name: string): Locator => page.getByRole('button', { name, exact: true });
            const signIn = async (password: string): Promise<void> => {
                await page.getByLabel('Username', { exact: true }).fill(username);
                await page.getByLabel('Password', { exact: true }).fill(password);
                await page.keyboard.press('Enter');
            };

            await page.goto(`${test.url}/sign-in?back=/account/profile`);
            await signIn(PASSWORD);
            const part = page.locator('section.part').filter({ has: page.getByRole('heading', { name: 'Mail address' }) });
            await part.getByLabel('New mail address').waitFor();
            await look(page, `address-none-${width}`);
            await part.getByLabel('New mail address').fill('ada');
            await part.getByLabel('Current password').fill('not the password');
            await press(part.getByRole('button', { name: 'Send a mail to confirm it' }));
            await part.getByText('This is no mail address, such as ada@mail.example.').waitFor();
            await part.getByLabel('New mail address').fill(address);
            await press(part.getByRole('button', { name: 'Send a mail to confirm it' }));
            await part.getByText('This is not your current password.').waitFor();
            await look(page, `address-wrong-${width}`);
            await part.getByLabel('Current password').fill(PASSWORD);
            await page.keyboard.press('Enter');
            await part.getByText(`A mail goes to ${address}.`).waitFor();
            await page.getByText('The mail is on its way.').waitFor();
            // What has come of it is not scrolled off the screen, though the form is new.
            await page.locator('#root h1:focus').waitFor();
            expect(await page.evaluate<number>('scrollY')).to.be.above(100);
            await look(page, `address-pending-${width}`);

            // The link is opened where nobody is signed in.
            const link = await linkTo(address, '/account/confirm');
            await page.evaluate('localStorage.clear()');
            await page.goto(link);
            await page.getByText('Sign in to confirm your address.').waitFor();
            await look(page, `confirm-sign-in-${width}`);
            await signIn(PASSWORD);
            await page.getByText(`Mails about the account ${username} will go to this address.`).waitFor();
            await look(page, `confirm-${width}`);
            await press(button('Confirm'));
            await page.getByText(`${address} is confirmed.`).waitFor();
            expect(page.url()).to.not.include('#');
            await page.goto('about:blank');
            await page.goto(link);
            await button('Confirm').focus();
            await page.keyboard.press('Enter');
            await page.getByText('This link is not valid for this account, has expired, or was used before.').waitFor();
            await look(page, `confirm-again-${width}`);
            await press(page.locator('#root').getByRole('link', { name: 'Profile' }));
            await part.getByText('Confirmed on').filter({ hasText: address }).waitFor();
            await look(page, `address-${width}`);

            // The password is forgotten.
            await page.evaluate('localStorage.clear()');
            await page.goto(`${test.url}/sign-in`);
            await page.getByRole('link', { name: 'Forgot your password?' }).waitFor();
            await look(page, `forgot-${width}`);
            await press(page.getByRole('link', { name: 'Forgot your password?' }));
            await page.getByLabel('Username or address').waitFor();
            await look(page, `ask-${width}`);
            await page.getByLabel('Username or address').fill(address.toUpperCase());
            await page.keyboard.press('Enter');
            await page.getByText('If there is such an account with a confirmed address, a mail is on its way. Its link works for 30 minutes.').waitFor();
            await look(page, `asked-${width}`);

            // The link is pasted into the same tab.
            await page.goto(await linkTo(address, '/new-password'));
            const [first, second] = [page.getByRole('textbox', { name: 'New password', exact: true }), page.getByLabel('The new password once more')];
            await first.waitFor();
            await look(page, `choose-${width}`);
            await first.fill(FRESH);
            await second.fill('something else');
            await press(button('Set the password'));
            await page.getByText('This is not the same as above.').waitFor();
            await look(page, `choose-different-${width}`);
            await second.fill(FRESH);
            await page.keyboard.press('Enter');
            await page.getByText(`${username} has a new password. Sign in with it now.`).waitFor();
            expect(page.url()).to.not.include('#');
            await look(page, `chosen-${width}`);
            await page.locator('#root').getByRole('link', { name: 'Sign in', exact: true }).focus();
            await page.keyboard.press('Enter');
            await page.getByLabel('Password', { exact: true }).fill(FRESH);
            expect(await page.getByLabel('Username', { exact: true }).inputValue()).to.equal(username);
            await page.keyboard.press('Enter');
            await page.waitForURL(`${test.url}/`);

            // And the address is removed.
            await page.goto(`${test.url}/account/profile`);
            await press(part.getByRole('button', { name: 'Remove the address' }));
            await page.getByText('The address is removed.').waitFor();
            expect(await part.getByText(address).count()).to.equal(0);
            await page.context().close();
        });
    }

    it('is right to left in Arabic, and says what to do with a link that is used', async () => {
        const page = await open(390, 'ar');
        await page.goto(`${test.url}/new-password#${'A'.repeat(43)}`);
        expect(await page.evaluate<string>('document.documentElement.dir')).to.equal('rtl');
        await page.getByLabel('كلمة المرور الجديدة', { exact: true }).waitFor();
        for (const field of await page.locator('input').all()) {
            await field.fill(FRESH);
        }

        await page.keyboard.press('Enter');
        await page.getByText('هذا الرابط ليس لهذا الحساب').waitFor();
        await look(page, 'ar-used');
        await page.locator('#root').getByRole('link').tap();
        await page.getByText('أدخل اسم المستخدم أو العنوان الذي أكّدته').waitFor();
        await look(page, 'ar-ask');
        await page.context().close();
    });

    it('is nowhere if the service sends none', async () => {
        const off = await startAppsServer({ config: { mail: null } });
        const author = await openAuthor(off);
        const page = await open(1280);
        await page.goto(`${off.url}/sign-in?back=/account/profile`);
        await page.getByLabel('Username', { exact: true }).fill(author.username);
        expect(await page.getByText('Forgot your password?').count()).to.equal(0);
        await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
        await page.keyboard.press('Enter');
        await page.getByLabel('Current password').waitFor();
        expect(await page.locator('#root').getByText(/mail/i).count()).to.equal(0);
        expect((await page.goto(`${off.url}/new-password`))?.status()).to.equal(404);
        await page.context().close();
        await off.stop();
    });

    it('is not asked for of accounts that a class manages', async () => {
        const teacher = await openAuthor(test);
        await test.database.db.raw('update users set teacher = true where id = ?', [teacher.id]);
        const { body: { class: { id } } } = await test.call('POST', '/users/me/classes', { title: 'Year 5' }, { token: teacher.token });
        const { body: { pupils: [pupil] } } = await test.call('POST', `/classes/${id}/pupils`, { names: ['Mia'] }, { token: teacher.token });
        const page = await open(390);
        await page.goto(`${test.url}/sign-in?back=/account/profile`);
        await page.getByLabel('Username', { exact: true }).fill(pupil.user.username);
        await page.getByLabel('Password', { exact: true }).fill(pupil.passphrase);
        await page.keyboard.press('Enter');
        await page.getByLabel('Current password').waitFor();
        expect(await page.getByText('Mail address').count()).to.equal(0);
        await page.context().close();
    });
});
