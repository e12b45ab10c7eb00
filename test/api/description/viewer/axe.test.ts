import { expect } from '@hapi/code';
import { script } from '@hapi/lab';
import type { Browser, Page } from 'playwright-core';

import { faultsOn } from '../../../support/axe';
import { launchChromium } from '../../../support/chromium';
import { startProduct } from '../../../support/product';
import type { Product } from '../../../support/product';

export const lab = script();

const sizes = [{ width: 1280, height: 800 }, { width: 390, height: 844 }] as const;

/** Opens the first operation whole: its schemas, all that is folded in them, and its headers. */
async function openWhole(page: Page): Promise<void> {
    const operation = page.locator('.opblock').first();
    await operation.locator('.opblock-summary-control').click();
    await operation.locator('.responses-table').waitFor();
    for (const tab of await operation.locator('button[data-name="model"]').all()) {
        await tab.click();
    }

    let folded = 0;
    do {
        folded = await operation.evaluate((node) => {
            const closed = node.querySelectorAll<HTMLElement>('.json-schema-2020-12-accordion[aria-expanded="false"], details:not([open]) > summary');
            closed.forEach((button) => button.click());
            return closed.length;
        });
    } while (folded > 0);
}

lab.experiment('The documentation in a browser', () => {

    let test: Product;
    let browser: Browser;

    lab.before(async () => {
        test = await startProduct();
        browser = await launchChromium();
    });

    lab.after(async () => {
        await browser?.close();
        await test?.stop();
    });

    for (const viewport of sizes) {
        lab.test(`has nothing that axe objects to, and a filter for the keyboard, ${viewport.width} pixels wide`, async () => {
            const page = await browser.newPage({ viewport });
            page.setDefaultTimeout(60_000);
            await page.goto(`${test.url}/docs`);
            await page.locator('.opblock').first().waitFor();
            expect(await faultsOn(page)).to.equal([]);

            // Those of webhooks are no requests to the service.
            const all = await page.locator('.opblock:not(.webhooks .opblock)').count();
            const status = page.locator('.filter [role=status]');
            expect(await status.textContent()).to.equal(`All ${all}`);
            await page.getByLabel('Filter by path').focus();
            for (const [words, first, told] of [['remix POST', '/remixes', `2 of ${all}`], ['{collection} delete', '/collections/', `of ${all}`], ['Open an account', '/users', `1 of ${all}`]] as const) {
                await page.keyboard.press('ControlOrMeta+a');
                await page.keyboard.type(words);
                await status.filter({ hasText: told }).waitFor();
                expect(await status.textContent()).to.equal(`${await page.locator('.opblock:not(.webhooks .opblock)').count()} of ${all}`);
                expect(await page.locator('.opblock-summary-path').first().textContent()).to.contain(first);
            }

            expect(await page.locator('.webhooks').isVisible()).to.be.false();
            const button = page.locator('.opblock-summary-control').first();
            await button.focus();
            await page.keyboard.press('Enter');
            await page.locator('.responses-table').waitFor();
            expect(new URL(page.url()).hash).to.equal('#/Users/createUser');
            expect(await faultsOn(page)).to.equal([]);
            expect(await page.evaluate(() => document.documentElement.scrollWidth)).to.equal(viewport.width);

            await page.getByLabel('Filter by path').fill('no such words');
            await status.filter({ hasText: 'None matches' }).waitFor();
            expect(await faultsOn(page)).to.equal([]);
            await page.getByLabel('Filter by path').fill('');
            await status.filter({ hasText: `All ${all}` }).waitFor();

            await page.locator('.btn.authorize').click();
            await page.locator('.modal-ux').waitFor();
            expect(await faultsOn(page)).to.equal([]);
            await page.close();
        });
    }

    // Each night all of them, and otherwise one in thirty.
    lab.test('has nothing that axe objects to in an operation that is opened', { timeout: 1_200_000 }, async () => {
        const page = await browser.newPage({ viewport: sizes[1] });
        page.setDefaultTimeout(60_000);
        await page.goto(`${test.url}/docs`);
        await page.locator('.opblock').first().waitFor();
        const all = await page.locator('.opblock').evaluateAll((operations) => operations.map(({ id }) => id));
        const opened = all.filter((_id, at) => process.env.LOOKS === 'all' || at % 30 === 0);
        expect(opened.length).to.be.above(2);
        const faults: Record<string, string[]> = {};
        for (const id of opened) {
            const operation = page.locator(`[id="${id}"]`);
            // By keyboard, since what closes moves what is below it.
            await operation.locator('.opblock-summary-control').press('Enter');
            await operation.locator('.responses-table').waitFor();
            // Without the others, which takes a fraction of the time.
            const others = await page.addStyleTag({ content: '.opblock:not(.is-open) { display: none }' });
            faults[id] = await faultsOn(page, [], `[id="${id}"]`);
            await others.evaluate((style) => style.parentNode?.removeChild(style));
            await operation.locator('.opblock-summary-control').press('Enter');
            await operation.locator('.opblock-body').waitFor({ state: 'detached' });
        }

        expect(faults).to.equal(Object.fromEntries(opened.map((id) => [id, []])));
        await page.close();
    });

    // The largest operation has every kind of schema.
    lab.test('has nothing that axe objects to in schemas that are opened whole', async () => {
        const page = await browser.newPage({ viewport: sizes[1] });
        page.setDefaultTimeout(60_000);
        await page.goto(`${test.url}/docs`);
        await page.locator('.opblock').first().waitFor();
        await page.getByLabel('Filter by path').fill('/users/{user}/bulk');
        await page.locator('.filter [role=status]').filter({ hasText: '1 of' }).waitFor();
        await openWhole(page);
        expect(await page.locator('.json-schema-2020-12-accordion[aria-expanded="true"]').count()).to.be.above(100);
        expect(await faultsOn(page)).to.equal([]);
        await page.close();
    });
});
