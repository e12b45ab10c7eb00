import { randomBytes } from 'node:crypto';

import type { Browser } from 'playwright-core';

import type { Fact } from '../measure/figures';
import type { Product } from './product';
import { Film, screens } from './film';

const list = 'Nr.;Name;Vorname;Geburtsdatum;E-Mail\n1;Adams;Zoe;12.03.2015;zoe@example.org\n2;Berger;Ben;01.04.2015;ben@example.org\n3;Çelik;Cem;30.11.2014;cem@example.org\n4;Dubois;Anouk;02.02.2015;anouk@example.org\n';

/** A teacher gets the permission, makes a class of a pasted list, prints its sheets and gives an assignment; a pupil hands in, and the teacher looks at it and returns it. */
async function play(film: Film, pupils: Film, product: Product): Promise<void> {
    const { page } = film;
    const username = `eva-${randomBytes(3).toString('hex')}`;
    await page.goto(`${product.base}/sign-up`);
    await film.take('open-an-account', page.getByLabel('Username'));
    await page.getByLabel('Username').fill(username);
    await page.getByLabel('Password', { exact: true }).fill('a lamp in the window');
    await film.press('Open an account');
    await film.take('welcome', page.getByRole('heading', { name: /Welcome/ }));
    await page.goto(`${product.base}/classes`);
    await film.take('classes-without-the-permission', page.locator('h1'));
    await product.admin('grant', username, 'teacher');
    await page.goto(product.base);
    await film.take('gallery-with-classes', page.locator('.card'));
    await page.goto(`${product.base}/classes`);
    await film.take('classes', page.getByRole('button', { name: 'New class' }));
    await film.press('New class');
    await film.take('new-class', page.getByRole('dialog'));
    await page.getByLabel('Name of the class').fill('Year 5');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/class\/\d+$/);
    await film.take('an-empty-class', page.getByRole('button', { name: 'Add pupils' }));

    const dialog = page.getByRole('dialog');
    await film.press('Add pupils');
    await film.take('add-pupils', dialog);
    await dialog.locator('textarea').fill(list);
    await film.take('a-pasted-list');
    await film.press('Continue');
    await film.take('the-table', dialog.locator('.previewed'));
    await dialog.getByLabel('Name of line 4').fill('Anouk D.');
    await film.take('the-table-is-corrected');
    await film.press('Make 4 accounts');
    await film.take('sheets', page.locator('.slip'));
    await page.emulateMedia({ media: 'print' });
    await film.take('printed');
    await page.emulateMedia({ media: 'screen' });
    const [name = '', passphrase = ''] = await page.locator('.slip').first().locator('code').allTextContents();

    await film.follow('Assignments');
    await film.take('no-assignments', page.getByRole('button', { name: 'New assignment' }));
    await film.press('New assignment');
    await film.take('new-assignment', dialog);
    await dialog.getByLabel('Title').fill('My animal');
    await dialog.getByLabel('What is to be done').fill('Three pages about an animal that you like.');
    await film.press(dialog.getByRole('button', { name: 'Save' }));
    await film.take('assignments', page.getByText('handed in: 0 of 4'));

    await handIn(pupils, product, name, passphrase);
    await page.reload();
    await film.take('one-is-handed-in', page.getByText('handed in: 1 of 4'));
    await film.follow('My animal');
    await film.take('works', page.locator('.works'));
    await film.press('What was handed in: Zoe Adams');
    await film.take('what-was-handed-in', dialog.locator('.handed-in'));
    await film.press(dialog.getByRole('button', { name: /Something is missing/ }));
    await film.take('returned', page.locator('.works .note'));
    await film.follow('Assignments');
    await film.follow('In the class');
    await film.take('wall', page.locator('.card .picture'));
    await film.follow('People');
    await film.take('people');
    await film.follow('Settings');
    await film.take('settings');
    await pupils.page.reload();
    await pupils.take('it-came-back', pupils.page.locator('.note'));
}

/** A pupil signs in by the address of the sheet, begins the assignment, writes, and hands in. */
async function handIn(film: Film, product: Product, name: string, passphrase: string): Promise<void> {
    const { page } = film;
    await page.goto(`${product.base}/sign-in#${name}`);
    await film.take('sign-in', page.locator('input[name="password"]'));
    await page.locator('input[name="password"]').fill(passphrase);
    await page.keyboard.press('Enter');
    await film.take('my-classes', page.getByRole('link', { name: 'Year 5' }));
    await film.follow('Year 5');
    await film.take('my-class', page.getByRole('button', { name: 'Begin “My animal”' }));
    await film.press('Begin “My animal”');
    await film.take('my-work', page.locator('.task'));
    await film.press('Text');
    await page.keyboard.type('The cat sleeps all day.');
    await page.keyboard.press('Escape');
    await page.locator('.status.saved').waitFor();
    await film.press(page.locator('.task').getByRole('button', { name: 'Hand in' }));
    await film.take('hand-in', page.getByRole('dialog'));
    await film.press(page.getByRole('dialog').getByRole('button', { name: 'Hand in', exact: true }));
    await film.take('handed-in', page.locator('.task', { hasText: 'Handed in' }));
    await film.follow('Back to where you came from');
    await film.take('my-class-afterwards', page.getByText('Handed in'));
}

export async function filmTeacher(browser: Browser, product: Product): Promise<Fact[]> {
    const facts: Fact[] = [];
    for (const screen of screens) {
        const film = await Film.begin(browser, product, 'teacher', screen);
        const pupils = await Film.begin(browser, product, 'pupil', screen);
        await play(film, pupils, product).catch(async (error: unknown) => {
            await film.take('stopped');
            await pupils.take('stopped');
            film.faults.push(String(error).split('\n', 1).join());
        });
        facts.push(film.fact(`a teacher's first five minutes at ${screen.name}`), pupils.fact(`those of a pupil of the class at ${screen.name}`));
        await film.end();
        await pupils.end();
    }

    return facts;
}
