import { expect } from '@hapi/code';
import { script } from '@hapi/lab';
import type { Locator, Page } from 'playwright-core';

import { Editing, desk, expectSoon, holdBack, middleOf, phone, saved, thing, told, tool } from '../support/editing';
import type { Made } from '../support/editing';

export const lab = script();
const { after, before, describe, it } = lab;

describe('Who else is in the editor', () => {
    const editing = new Editing();
    const { open, windowOf, show, make, join } = editing;

    before(editing.start);
    after(editing.stop);
    lab.afterEach(editing.closeWindows);

    const faces = (page: Page): Locator => page.getByRole('list', { name: 'Also at work here' }).getByRole('button');
    const chosenByOthers = (page: Page): Locator => page.locator('.other-chosen:not([hidden])');
    const removeAll = async ({ id, owner }: Made): Promise<void> => {
        const { body: { members } } = await editing.test.call('GET', `/users/me/projects/${id}/members`, undefined, { token: owner.token });
        for (const { user } of members) {
            await editing.test.call('DELETE', `/users/me/projects/${id}/members/${user.username}`, undefined, { token: owner.token });
        }
    };

    it('shows their faces before they edit, what they have chosen, and where they point', async () => {
        const made = await make(['The cat', 'The dog']);
        const friend = await join(made);
        const ana = await open(made.owner, made.id);
        const ben = await open(friend, made.id, phone);
        await faces(ana).waitFor();
        expect(await faces(ana).getAttribute('aria-label')).to.equal(`${friend.username} is on page 1`);
        await told(ana, `${friend.username} is here too.`);
        await expectSoon(async () => expect(await faces(ben).count()).to.equal(1));

        await thing(ana, 'The dog').click();
        await chosenByOthers(ben).waitFor();
        const [theirs, dog] = [await middleOf(chosenByOthers(ben)), await middleOf(thing(ben, 'The dog'))];
        for (const side of ['x', 'y', 'width', 'height'] as const) {
            expect(Math.abs(theirs[side] - dog[side]), side).to.be.below(1.5);
        }

        expect(await chosenByOthers(ben).textContent()).to.equal(made.owner.username);
        const stage = await ana.locator('.stage').boundingBox();
        await ana.mouse.move(Number(stage?.x) + Number(stage?.width) / 2, Number(stage?.y) + Number(stage?.height) / 4);
        await expectSoon(async () => expect(await ben.locator('.other-cursor').evaluate((node: { style: { left: string; top: string } }) => [Number.parseFloat(node.style.left), Number.parseFloat(node.style.top)].map(Math.round))).to.equal([50, 25]));
        await ana.mouse.move(2, 2);
        await ben.locator('.other-cursor').waitFor({ state: 'detached' });

        // On another page they are not on this one, and their face leads there.
        await tool(ana, 'Add page');
        await expectSoon(async () => expect(await faces(ben).getAttribute('aria-label')).to.equal(`${made.owner.username} is on page 2`));
        expect(await chosenByOthers(ben).count()).to.equal(0);
        await faces(ben).click();
        await ben.getByRole('group', { name: 'Page 2' }).waitFor();
    });

    it('goes within seconds when the window closes, or the right to edit ends, and shows nobody who only looks', async () => {
        const made = await make(['The cat']);
        const [friend, other, guest] = [await join(made), await join(made), await editing.test.open()];
        await editing.test.call('PUT', `/users/me/projects/${made.id}/members/${guest.username}`, { role: 'viewer' }, { token: made.owner.token });
        const ana = await open(made.owner, made.id);
        const window = await windowOf(friend);
        const ben = await show(window, made.id);
        await open(other, made.id);
        const eve = await open(guest, made.id);
        await expectSoon(async () => expect(await faces(ana).count()).to.equal(2));
        expect(await faces(eve).count()).to.equal(0);
        await ben.close();
        const closed = Date.now();
        await expectSoon(async () => expect(await faces(ana).count()).to.equal(1));
        expect(Date.now() - closed).to.be.below(15_000);
        await removeAll(made);
        const removed = Date.now();
        await expectSoon(async () => expect(await faces(ana).count()).to.equal(0));
        expect(Date.now() - removed).to.be.below(6000);
    });

    it('leaves the title on a phone where it is while something is saved', async () => {
        const made = await make(['The cat']);
        const ana = await open(made.owner, made.id, phone);
        const title = ana.getByRole('textbox', { name: 'Title of the project' });
        const still = await title.boundingBox();
        const send = await holdBack(ana, '**/bulk');
        await thing(ana, 'The cat').press('ArrowDown');
        await ana.locator('.status.saving').waitFor();
        expect(await title.boundingBox()).to.equal(still);
        send();
        await saved(ana);
        expect(await title.boundingBox()).to.equal(still);
    });

    it('draws twelve people on a phone and on a desk without anything cut off', async () => {
        const made = await make(['The cat']);
        const friends = await Promise.all(Array.from({ length: 11 }, () => join(made)));
        for (const viewport of [desk, phone]) {
            const ana = await open(made.owner, made.id, viewport);
            for (const { token } of friends) {
                await editing.test.call('PUT', `/users/${made.owner.id}/projects/${made.id}/presence`, { page: made.page, cursor: { left: 100, top: 100 } }, { token });
            }

            await expectSoon(async () => expect(await ana.locator('.others').innerText()).to.contain(viewport === desk ? '+7' : '+10'));
            const [theirs, next] = [await ana.locator('.others').boundingBox(), await ana.locator(viewport === desk ? '.top-actions' : '.play').boundingBox()];
            expect(Number(theirs?.x) + Number(theirs?.width)).to.be.below(Number(next?.x) + 1);
            expect(Number(await ana.evaluate('document.documentElement.scrollWidth'))).to.be.below(viewport.width + 1);
        }
    });
});
