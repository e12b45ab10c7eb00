import { randomBytes } from 'node:crypto';

import { expect } from '@hapi/code';
import { script } from '@hapi/lab';
import type { Browser, Page } from 'playwright-core';

import { isObject } from '../../src/api/json/is-object';
import { run } from '../../src/operations/cli/main';
import { faultsOn, looks, openersIn } from '../support/axe';
import type { Look } from '../support/axe';
import { Authenticator } from '../support/authenticator';
import { launchChromium } from '../support/chromium';
import { fakeHost } from '../support/host';
import { startProduct } from '../support/product';
import type { Product } from '../support/product';
import type { Actor } from '../support/server';

/** All texts of a page, with spaces between those of different elements. */
const texts = `(() => {
    const all = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    let text = '';
    while (all.nextNode()) {
        text += ' ' + all.currentNode.data;
    }

    return text;
})()`;

export const lab = script();

/** What a page shows. */
interface State {
    path: string;
    /** the sources of the dialog or details that are opened */
    of?: string;
    open?(page: Page): Promise<unknown>;
}

const parts = ['projects', 'shared', 'collections', 'trash', 'files', 'notices', 'decisions', 'blocked', 'sessions', 'tokens', 'passkeys', 'identities', 'apps', 'webhooks', 'profile'];

const announcement = { id: '1', text: 'We rest on Sunday.', level: 'info', until: '2036-04-01T12:00:00.000Z', by: 'mona', created_at: '2026-11-20T08:00:00.000Z' };
const identity = { id: '1', provider: { id: 'school', name: 'The school' }, issuer: 'https://school.example', name: 'mona', created_at: '2026-11-20T08:00:00.000Z', last_used_at: null };

const [ben, at] = [{ id: '5', username: 'ben' }, '2026-11-20T08:00:00.000Z'];
const notice = { id: '3', kind: 'comment', at, by: ben, project: { id: '1', user_id: '1', title: 'طيور' }, comment: '1', count: 3, read: false };
const notices = [notice, { ...notice, id: '2', kind: 'follow', project: null, comment: undefined, read: true }, { ...notice, id: '1', kind: 'decision', by: null, statement: '1', comment: undefined }];
const appeal = { text: 'I showed my school.', at, outcome: null, reason: null, decided_at: null };
const statement = { id: '1', decision: 'hold', type: 'project', thing_id: '1', project_id: '1', sha256: null, title: 'Birds', rule: 'spam', reason: 'A shop', facts: 'report', at, until: null, ended_at: null, appeal: null };
const ended = { ...statement, id: '3', ended_at: at, appeal: { ...appeal, outcome: 'reversed', reason: 'You are right.', decided_at: at } };
const statements = [statement, { ...statement, id: '2', decision: 'suspend', type: 'user', project_id: null, title: null, until: at, appeal }, { ...statement, id: '4', type: 'picture', project_id: null, title: null, sha256: '0'.repeat(64), facts: 'automatic' }, ended];
const ownReport = { kind: 'comment', thing_id: '1', project_id: '1', reason: 'spam', text: 'A shop', created_at: at, outcome: 'removed' };
const reports = { count: 1, reasons: { spam: 1 }, newest: [{ by: ben, reason: 'spam', text: 'A shop', at }], newest_at: at, guests: [], state: 'open' };
const reported = [{ kind: 'comment', comment: { id: '1', project_id: '1', author: ben, text: 'كلام', created_at: at }, ...reports }, { kind: 'user', user: { id: '6', username: 'troll' }, ...reports }];

/** The whole of the site but the editor and `/docs`, with all that can be opened. What opens without a row here fails the last test. */
lab.experiment('axe finds nothing', () => {

    let test: Product;
    let browser: Browser;
    const opened: string[] = [];

    lab.before(async () => {
        test = await startProduct();
        browser = await launchChromium();
    });

    lab.after(async () => {
        await browser?.close();
        await test?.stop();
    });

    const newName = (): string => `ax-${randomBytes(4).toString('hex')}`;

    /** Shows each state, and looks at it. */
    const check = async (look: Look, who: Actor | undefined, states: readonly State[]): Promise<void> => {
        const context = await browser.newContext(look.options);
        context.setDefaultTimeout(60_000);
        if (who !== undefined) {
            const { id, username, token } = who;
            await context.addInitScript(`localStorage.setItem(${JSON.stringify(`pagewright ${test.url}`)}, ${JSON.stringify(JSON.stringify({ token, tokenId: null, user: { id, username } }))})`);
        }

        // Only another provider could make one.
        await context.route('**/users/me/identities', (route) => route.fulfill({ json: { identities: [identity] } }));
        // A real one would be on the pages of all tests.
        await context.route('**/admin/announcements', (route) => route.fulfill({ json: { status: 'success', announcements: [announcement] } }));
        // What moderators did to some is on no page of all others, and each kind is there.
        const lists = {
            '/users/me/notices?*': { notices, unread: 2 }, '/users/me/statements?*': { statements }, '/users/me/reports?*': { reports: [ownReport] }, '/users/me/blocks?*': { blocks: [{ user: ben, since: at }] },
            '/moderation/appeals?*': { appeals: statements.map((each) => ({ statement: { ...each, appeal }, user: ben, moderator: who === undefined ? null : { id: each.id === '1' ? who.id : '9', username: 'mira' } })) }
        };
        for (const [path, list] of Object.entries(lists)) {
            await context.route(`**${path}`, (route) => route.fulfill({ json: { status: 'success', next: null, ...list } }));
        }

        await context.route('**/moderation/reports?count=25*', async (route) => {
            const response = await route.fetch();
            const list: unknown = await response.json();
            await route.fulfill({ response, json: isObject(list) && Array.isArray(list.reports) ? { ...list, reports: [...list.reports, ...reported] } : list });
        });
        const page = await context.newPage();
        const faults: string[] = [];
        for (const { path, of, open } of states) {
            const [address, hash] = path.split('#');
            // A change of the hash alone would not load the page.
            await page.goto('about:blank');
            await page.goto(`${test.url}${address}${path.includes('?') ? '&' : '?'}lang=${look.lang}${hash === undefined ? '' : `#${hash}`}`);
            await page.locator('html:not(:has(#root)), #root h1').first().waitFor({ state: 'attached' });
            await page.locator('.loading, [aria-busy="true"]').first().waitFor({ state: 'detached' });
            const before = await page.locator('dialog[open], details[open]').count();
            await open?.(page);
            if (of !== undefined) {
                await page.locator('dialog[open], details[open]').nth(before).waitFor();
                opened.push(of);
            }

            faults.push(...(await faultsOn(page, ['.pagewright-page'])).map((fault) => `${path}${of === undefined ? '' : `, opened: ${of}`}: ${fault}`));
            expect(await page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth'), path).to.be.true();
            expect(await page.evaluate<string>(texts), path).to.not.match(/\b(?:ui|error|enter|account|projects|shared|collections|trash|files|sessions|tokens|passkeys|apps|webhooks|consent|device|identities|profile|notices|decisions|blocked|transparency|moderation|admin|announcement|classes|log|report|player|list|gallery)\.[a-z_]+\b/);
        }

        await context.close();
        expect(faults).to.equal([]);
    };

    const make = async ({ token }: Actor, fields: object): Promise<string> => (await test.call('POST', '/users/me/projects', fields, { token })).body.project.id;

    for (const look of looks) {
        const { t } = look;
        const press = (name: string): NonNullable<State['open']> => {
            return (page) => page.getByRole('button', { name, exact: true }).first().click();
        };


        lab.test(`on what everybody sees, ${look.name}`, async () => {
            const ana = await test.open(newName());
            await test.call('PATCH', '/users/me', { about: 'I draw birds. أرسم الطيور' }, { token: ana.token });
            const id = await make(ana, { title: 'A project with a rather long title, about birds and trees', description: 'A long story #birds #trees' });
            const [mine, reader] = [await make(ana, { title: 'Not yet', visibility: 'private' }), await test.open(newName())];
            const { body: { collection } } = await test.call('POST', '/users/me/collections', { title: 'Green', description: 'What grows' }, { token: ana.token });
            await test.call('PUT', `/users/me/collections/${collection.id}/projects/${id}`, {}, { token: ana.token });
            const report = (page: Page): Promise<void> => page.locator('details.report summary').click();
            await check(look, undefined, [
                { path: '/' }, { path: '/browse/new' }, { path: '/browse/featured' }, { path: '/browse/trending' }, { path: '/tags/birds' }, { path: `/tags/${newName()}` }, { path: '/find?q=birds' },
                { path: `/find?q=${newName()}` }, { path: `/u/${ana.username}` }, { path: `/u/${reader.username}` }, { path: '/u/nobody-of-this-name' }, { path: `/c/${collection.id}` }, { path: `/p/${id}` },
                { path: `/p/${id}`, of: 'src/site/player.tsx', open: report }, { path: `/p/${id}/embed` }, { path: '/p/999999999' }, { path: '/p/999999999/embed' }, { path: '/welcome' }, { path: '/sign-in' },
                { path: '/sign-up' }, { path: '/sign-up', open: (page) => page.locator('#root button[type=submit]').click() }, { path: '/account' }, { path: '/account/join' }, { path: '/moderation' }, { path: '/admin' }, { path: '/classes' }, { path: '/class/999999999' }, { path: '/transparency' }, { path: `/edit/${id}` }
            ]);
            await check(look, reader, [{ path: `/p/${id}`, open: report }, { path: `/edit/${id}` }, { path: '/edit/999999999' }, { path: '/account/join#no-such-code' }, { path: '/moderation' }, { path: '/admin' }, { path: '/classes' }, { path: '/classes#k7pm-3xwr-d9tz' }, { path: '/class/999999999' }, ...parts.map((part) => ({ path: `/account/${part}` }))]);
            await check(look, ana, [{ path: `/p/${mine}`, of: 'src/site/player.tsx', open: (page) => page.locator('details.publish summary').click() }, { path: `/p/${id}` }]);
        });

        lab.test(`on what is one's own and what moderators do, ${look.name}`, async () => {
            const mona = await test.open(newName());
            const admin = fakeHost({ DATA_DIR: test.dataDir });
            expect(await run(['grant', mona.username, 'moderator'], admin), admin.err).to.equal(0);
            const other = await test.open(newName());
            const token = { token: mona.token };
            const title = 'A project with a rather long title, about birds and trees';
            const [first, second, old, theirs] = [await make(mona, { title }), await make(mona, { title: 'Second', visibility: 'private' }), await make(mona, { title: 'Old' }), await make(other, { title: 'Shared' })];
            await test.call('DELETE', `/users/me/projects/${old}`, {}, token);
            await test.call('PUT', `/users/me/projects/${theirs}/members/${mona.username}`, { role: 'editor' }, { token: other.token });
            const { body: { collection } } = await test.call('POST', '/users/me/collections', { title: 'Green', description: 'What grows' }, token);
            for (const id of [first, second]) {
                await test.call('PUT', `/users/me/collections/${collection.id}/projects/${id}`, {}, token);
            }

            for (const id of [first, theirs]) {
                expect((await test.call('POST', `/projects/${id}/reports`, { reason: 'spam', text: 'A shop' }, id === first ? { token: other.token } : token)).status).to.be.below(300);
            }

            await test.call('POST', '/users/me/tokens', { label: 'A script', scope: ['projects'] }, token);
            const { body: { options } } = await test.call('POST', '/passkeys/options', { to: 'add' }, token);
            expect((await test.call('POST', '/users/me/passkeys', { label: 'My phone', passkey: new Authenticator().create({ challenge: options.challenge, origin: test.url }) }, token)).status).to.equal(201);
            const { body: { app } } = await test.call('POST', '/users/me/apps', { name: 'Painter', url: 'https://paint.example', redirect_uris: ['https://paint.example/done'] }, token);
            const form = async (path: string, fields: Record<string, string>): Promise<Record<string, string>> => Object(await (await fetch(`${test.url}${path}`, { method: 'POST', body: new URLSearchParams({ client_id: app.id, ...fields }) })).json());
            const { device_code = '', user_code = '' } = await form('/oauth/device', { scope: 'projects' });
            expect((await test.call('POST', '/oauth/device/decision', { user_code, allow: true }, token)).status).to.equal(200);
            expect(await form('/oauth/token', { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code })).to.include({ scope: 'projects' });
            const next = await form('/oauth/device', { scope: 'openid projects' });
            const url = 'https://hooks.invalid/in';
            const { body: { webhook } } = await test.call('POST', '/users/me/webhooks', { url, events: ['project.held', 'work.handed_in'], projects: [first] }, token);
            expect((await test.call('POST', `/users/me/webhooks/${webhook.id}/test`, {}, token)).status).to.equal(201);
            const profile = async (page: Page): Promise<void> => {
                await press(t('profile.close_do'))(page);
                await page.locator('dialog input').waitFor();
            };

            await check(look, mona, [
                ...parts.map((part) => ({ path: `/account/${part}` })), { path: '/account?new=1' }, { path: '/account/join' }, { path: `/account/collections?id=${collection.id}` },
                { path: '/account/projects', of: 'web/account/projects.tsx', open: press(t('projects.export_title', { title })) },
                { path: '/account/projects', of: 'web/account/projects.tsx', open: press(t('projects.delete_title', { title: 'Second' })) },
                { path: '/account/shared', of: 'web/account/shared.tsx', open: press(t('shared.leave_title', { title: 'Shared' })) },
                { path: '/account/collections', of: 'web/account/collections.tsx', open: press(t('collections.new')) },
                { path: '/account/collections', of: 'web/account/collections.tsx', open: press(t('collections.delete_title', { title: 'Green' })) },
                { path: '/account/trash', of: 'web/account/trash.tsx', open: press(t('trash.delete_name', { name: t('trash.project', { title: 'Old' }) })) },
                { path: '/account/sessions', of: 'web/account/sessions.tsx', open: press(t('sessions.everywhere')) },
                { path: '/account/tokens', of: 'web/account/tokens.tsx', open: press(t('tokens.new')) },
                { path: '/account/tokens', of: 'web/account/tokens.tsx', open: press(t('sessions.end_name', { name: 'A script' })) },
                { path: '/account/passkeys', of: 'web/account/passkeys.tsx', open: press(t('passkeys.remove_name', { name: 'My phone' })) },
                { path: '/account/identities', of: 'web/account/identities.tsx', open: press(t('passkeys.remove_name', { name: 'The school \u00b7 mona' })) },
                { path: '/account/apps', of: 'web/account/apps.tsx', open: press(t('apps.new')) },
                { path: '/account/apps', of: 'web/account/apps.tsx', open: press(t('apps.end_name', { name: 'Painter' })) },
                { path: '/account/apps', of: 'web/account/apps.tsx', open: press(t('apps.delete_name', { name: 'Painter' })) },
                {
                    path: '/account/apps', of: 'web/account/apps.tsx', open: async (page) => {
                        await press(t('apps.new'))(page);
                        await page.locator('dialog input[name=name]').fill('On a server');
                        await page.locator('dialog input[name=url]').fill('https://server.example');
                        await page.locator('dialog textarea').fill('https://server.example/done');
                        await page.locator('dialog input[name=confidential]').check();
                        await page.locator('dialog button[type=submit]').click();
                        await page.locator('dialog code').waitFor();
                    }
                },
                { path: '/account/apps', of: 'web/account/apps.tsx', open: press(t('apps.renew_name', { name: 'On a server' })) },
                { path: `/account/webhooks?id=${webhook.id}` },
                { path: '/account/webhooks', of: 'web/account/webhook-dialog.tsx', open: press(t('apps.edit_name', { name: url })) },
                { path: '/account/webhooks', of: 'web/account/webhooks.tsx', open: press(t('apps.delete_name', { name: url })) },
                {
                    path: '/account/webhooks', of: 'web/account/webhooks.tsx', open: async (page) => {
                        await press(t('apps.renew_name', { name: url }))(page);
                        await page.locator('dialog button[type=submit]').click();
                        await page.locator('dialog code').waitFor();
                    }
                },
                { path: '/account/webhooks', of: 'web/account/webhooks.tsx', open: press(t('apps.renew_name', { name: url })) },
                { path: '/account/webhooks', of: 'web/account/webhooks.tsx', open: press(t('webhooks.off_name', { url })) },
                { path: '/device' },
                {
                    path: `/device?user_code=${next.user_code}`, open: async (page) => {
                        await page.locator('form.fields button[type=submit]').click();
                        await page.locator('.consent').waitFor();
                    }
                },
                { path: '/oauth/auth?client_id=999' }, { path: '/oauth/consent/none' },
                { path: '/account/profile', of: 'web/account/profile.tsx', open: profile },
                {
                    path: '/account/profile', of: 'web/account/profile.tsx', open: async (page) => {
                        await profile(page);
                        await page.locator('dialog input').fill(mona.username);
                        await page.keyboard.press('Enter');
                        await page.getByRole('dialog').getByRole('button', { name: t('profile.close_do'), exact: true }).waitFor();
                    }
                },
                { path: '/moderation?view=reports' }, { path: '/moderation?view=log' }, { path: '/moderation?view=project' }, { path: `/moderation?view=person&id=${other.id}&name=${other.username}` },
                ...['newest', 'further'].map((name) => ({ path: '/moderation', of: 'web/moderation/entry.tsx', open: (page: Page) => page.getByText(t(`moderation.${name}`), { exact: true }).first().click() })),
                { path: '/moderation', of: 'web/moderation/decision.tsx', open: press(t('moderation.suspend_name', { name: 'troll' })) },
                { path: '/moderation?view=pictures' }, { path: '/moderation?view=appeals' }, { path: '/moderation?view=appeals', of: 'web/moderation/appeals.tsx', open: press(t('moderation.reversed_name', { name: 'ben' })) },
                { path: '/account/decisions', of: 'web/account/decisions.tsx', open: press(t('decisions.appeal_name', { what: t('decisions.of_project', { title: 'Birds' }) })) },
                {
                    path: `/moderation?view=project&id=${first}`, open: async (page) => {
                        await press(t('moderation.trash_of', { name: mona.username }))(page);
                        await page.locator('.part .row').waitFor();
                    }
                },
                {
                    path: '/account/files', of: 'web/account/main.tsx', open: async (page) => {
                        await (look.isNarrow ? page.locator('.account > nav [aria-expanded]').click() : undefined);
                        await page.getByText(t('account.for_developers'), { exact: true }).click();
                    }
                },
                {
                    path: '/account/files', of: 'web/account/sign-out.tsx', open: async (page) => {
                        await page.evaluate(`new Promise((done) => {
                            const request = indexedDB.open('pagewright-editor 1 2', 1);
                            request.onupgradeneeded = () => request.result.createObjectStore('items').put('{}', 'e 1');
                            request.onsuccess = () => done(request.result.close());
                        })`);
                        await press(t('account.sign_out'))(page);
                    }
                },
                ...['moderation.held', 'moderation.removed', 'moderation.suspend_name'].map((key) => ({ path: `/moderation?view=project&id=${first}`, of: 'web/moderation/acts.tsx', open: press(t(key, { name: mona.username })) }))
            ]);
        });

        lab.test(`on what whoever runs the place does, ${look.name}`, async () => {
            const [ada, other] = [await test.open(newName()), await test.open(newName())];
            expect(await run(['grant', ada.username, 'staff'], fakeHost({ DATA_DIR: test.dataDir }))).to.equal(0);
            const token = { token: ada.token };
            const host = `${newName()}.example`;
            expect((await test.call('POST', '/admin/sign-up-codes', { uses: 30, note: 'For Eva' }, token)).status).to.equal(201);
            expect((await test.call('POST', '/users/me/apps', { name: 'Drawer', url: 'https://draw.example', redirect_uris: ['https://draw.example/done'] }, token)).status).to.equal(201);
            expect((await test.call('POST', '/users/me/webhooks', { url: `https://${host}/`, events: ['project.created'] }, token)).status).to.equal(201);
            const path = `/admin?view=people&id=${other.id}`;
            const name = other.username;
            await check(look, ada, [
                ...['people', 'codes', 'apps', 'webhooks', 'announcements', 'statistics', 'maintenance', 'log', 'moderation_log'].map((view) => ({ path: `/admin?view=${view}` })), { path }, { path, open: press(t('moderation.suspend_name', { name })) },
                ...['admin.reset', 'admin.remove', 'admin.grant_staff'].map((key) => ({ path, of: 'web/admin/person.tsx', open: press(t(key, { name })) })),
                { path: '/admin?view=codes', of: 'web/admin/codes.tsx', open: press(t('admin.code_new')) }, { path: '/admin?view=codes', of: 'web/admin/codes.tsx', open: press(t('sessions.end_name', { name: 'For Eva' })) },
                { path: '/admin?view=apps', of: 'web/admin/apps.tsx', open: press(t('apps.delete_name', { name: 'Drawer' })) }, { path: '/admin?view=webhooks', of: 'web/admin/webhooks.tsx', open: press(t('admin.switch_off_name', { name: host })) },
                { path: '/admin?view=announcements', of: 'web/admin/announcements.tsx', open: press(t('admin.announce')) },
                { path: '/admin?view=announcements', of: 'web/admin/announcements.tsx', open: press(t('admin.withdraw_text', { text: announcement.text })) }
            ]);
        });

        lab.test(`on classes, ${look.name}`, async () => {
            const [eva, max, pupil] = [await test.open(newName()), await test.open(newName()), await test.open(newName())];
            for (const { username } of [eva, max]) {
                expect(await run(['grant', username, 'teacher'], fakeHost({ DATA_DIR: test.dataDir }))).to.equal(0);
            }

            const token = { token: eva.token };
            const { body: { class: { id }, code } } = await test.call('POST', '/users/me/classes', { title: 'Year 5, الصف الخامس' }, token);
            expect((await test.call('POST', `/classes/${id}/pupils`, { names: ['Ana', 'ليلى'] }, token)).status).to.equal(201);
            expect((await test.call('PUT', `/classes/${id}/teachers/${max.username}`, undefined, token)).status).to.equal(201);
            expect((await test.call('POST', '/classes', { code }, { token: pupil.token })).status).to.equal(200);
            const { body: { assignment } } = await test.call('POST', `/classes/${id}/assignments`, { title: 'Story', text: 'قصة', due_at: '2036-04-01T12:00:00Z' }, token);
            const { body: { work } } = await test.call('POST', `/classes/${id}/assignments/${assignment.id}/work`, {}, { token: pupil.token });
            expect((await test.call('PATCH', `/classes/${id}`, { picture_sign_in: true }, token)).status).to.equal(200);
            const { body: device } = await test.call('POST', `/classes/${id}/devices`, {}, token);
            expect((await test.call('POST', '/class-devices', { code: device.code, label: 'The tablet' })).status).to.equal(201);
            const [path, names] = [`/class/${id}`, 'Ana\nBen\nBen\nسامي'];
            const [people, settings] = [`${path}?part=people`, `${path}?part=settings`];
            const preview = async (page: Page): Promise<void> => {
                await press(t('classes.add'))(page);
                await page.locator('dialog textarea').fill(names);
                await page.locator('dialog button[type=submit]').click();
                await page.locator('.previewed').waitFor();
            };

            const sheets = async (page: Page): Promise<void> => {
                await press(t('classes.passphrase_name', { name: 'Ana' }))(page);
                await page.locator('dialog button[type=submit]').click();
                await page.locator('.slip').waitFor();
            };

            const shown = await make(eva, { title: 'Mine' });
            expect((await test.call('PUT', `/users/me/projects/${shown}/classes/${id}`, { audience: 'class' }, token)).status).to.equal(201);
            await check(look, eva, [
                { path, of: 'web/classes/wall.tsx', open: press(t('classes.take_title', { title: 'Mine' })) }, { path, of: 'web/classes/wall.tsx', open: press(t('classes.put')) },
                { path, of: 'web/classes/wall.tsx', open: press(t('classes.hide_title', { title: 'Mine' })) }, { path: people, of: 'web/classes/pause.tsx', open: press(t('classes.pause_name', { name: 'Ana' })) },
                { path: '/classes' }, { path: '/classes', of: 'web/classes/list.tsx', open: press(t('classes.new')) }, { path }, { path: people, open: sheets }, { path: people }, { path: settings }, { path: `${path}?part=assignments` },
                { path: settings, of: 'web/classes/settings.tsx', open: press(t('classes.settings_change')) }, { path: settings, of: 'web/classes/end.tsx', open: press(t('classes.delete')) },
                { path: settings, of: 'web/classes/pictures/settings.tsx', open: press(t('classes.pictures_end')) }, { path: settings, of: 'web/classes/pictures/other-devices.tsx', open: press(t('classes.pictures_others')) },
                { path: settings, of: 'web/classes/pictures/settings.tsx', open: press(t('classes.pictures_device_end_name', { name: 'The tablet' })) },
                { path: people, of: 'web/classes/pictures/of-pupil.tsx', open: press(t('classes.pictures_name', { name: 'Ana' })) },
                { path: people, of: 'web/classes/code.tsx', open: press(t('classes.code_new')) }, { path: people, of: 'web/classes/add.tsx', open: preview },
                { path: people, of: 'web/classes/teachers.tsx', open: press(t('classes.take_out_name', { name: max.username })) },
                ...['classes.rename_name', 'classes.passphrase_name', 'classes.take_out_name'].map((key) => ({ path: people, of: 'web/classes/pupils.tsx', open: press(t(key, { name: 'Ana' })) })),
                {
                    path: people, of: 'web/classes/sheets.tsx', open: async (page) => {
                        await sheets(page);
                        await press(t('classes.close_sheets'))(page);
                    }
                }
            ]);
            await check(look, pupil, [{ path, of: 'web/classes/own-work.tsx', open: press(t('classes.hand_in_title', { title: 'Story' })) }]);
            expect((await test.call('PATCH', `/classes/${id}/assignments/${assignment.id}/work/${work.id}`, { state: 'handed_in' }, { token: pupil.token })).status).to.equal(200);
            const works = `${path}?assignment=${assignment.id}`;
            await check(look, eva, [
                { path: `${path}?part=assignments`, of: 'web/classes/assignment-dialog.tsx', open: press(t('classes.assignment_new')) }, { path: `${path}?part=assignments`, of: 'web/classes/assignments.tsx', open: press(t('classes.delete_title', { title: 'Story' })) },
                { path: works }, { path: works, of: 'web/classes/handed-in.tsx', open: press(t('classes.look_name', { name: pupil.username })) },
                { path: works, of: 'web/classes/works.tsx', open: press(t('classes.answer_name', { name: pupil.username })) }
            ]);
            await check(look, pupil, [{ path: '/classes' }, { path }, { path, of: 'web/classes/attending.tsx', open: press(t('classes.leave')) }]);
        });
    }

    lab.test('and everything that opens has been looked at', () => {
        const openers = openersIn('web/account', 'web/moderation', 'web/admin', 'web/classes', 'web/classes/pictures', 'src/site');
        expect(opened.sort()).to.equal(looks.flatMap(() => openers).sort());
        expect(test.errors()).to.equal([]);
    });
});
