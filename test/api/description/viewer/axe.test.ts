import { readFileSync } from 'node:fs';

import { expect } from '@hapi/code';
import { script } from '@hapi/lab';
import type { Browser, Page } from 'playwright-core';

import { launchChromium } from '../../../support/chromium';
import { startProduct } from '../../../support/product';
import type { Product } from '../../../support/product';

export const lab = script();

const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const sizes = [{ width: 1280, height: 800 }, { width: 390, height: 844 }] as const;

/** The faults that axe finds, with an example of each. */
const faultsOn = (page: Page): Promise<string[]> => page.evaluate(async () => {
    const { violations } = await Reflect.get(window, 'axe').run(document, { resultTypes: ['violations'] });
    return violations.map(({ id: rule, nodes }: { id: string; nodes: { html: string }[] }) => `${nodes.length} ${rule}: ${nodes[0]?.html}`);
});

lab.experiment('The documentation in a browser', { timeout: 300_000 }, () => {

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
            await page.evaluate(axe);
            expect(await faultsOn(page)).to.equal([]);

            const all = await page.locator('.opblock').count();
            const status = page.locator('.filter [role=status]');
            expect(await status.textContent()).to.equal(`All ${all}`);
            await page.getByLabel('Filter by path').focus();
            for (const [words, first, told] of [['remix POST', '/remixes', `2 of ${all}`], ['{collection} delete', '/collections/', `of ${all}`], ['Open an account', '/users', `1 of ${all}`]] as const) {
                await page.keyboard.press('ControlOrMeta+a');
                await page.keyboard.type(words);
                await status.filter({ hasText: told }).waitFor();
                expect(await status.textContent()).to.equal(`${await page.locator('.opblock').count()} of ${all}`);
                expect(await page.locator('.opblock-summary-path').first().textContent()).to.contain(first);
            }

            const button = page.locator('.opblock-summary-control');
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
});
