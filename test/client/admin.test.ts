import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { run } from '../../src/operations/cli/main';
import { openAuthor } from '../support/authoring';
import { hosts, sessionOf, startClientTest } from '../support/client';
import type { ClientTest } from '../support/client';
import { fakeHost } from '../support/host';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

describe('the client and the staff of a place', () => {
    let on: ClientTest;

    before(async () => {
        on = await startClientTest();
    });

    after(() => on?.stop());

    for (const browser of hosts) {
        it(`finds people, and does what there is to do, in ${browser}`, async () => {
            // The product is shared by all files of tests, so others may have apps and webhooks there.
            const [staff, user] = [await openAuthor(on.test), await openAuthor(on.test, `pupil-of-${browser}`.toLowerCase())];
            const host = fakeHost({ DATA_DIR: on.test.dataDir });
            expect(await run(['grant', staff.username, 'staff'], host), host.err).to.equal(0);
            const told = await on.run(browser, { session: sessionOf(staff), name: user.username }, async ({ pagewright, url, given: { session, name } }) => {
                const client = pagewright.createClient(url);
                client.signInWith(session);
                const { admin } = client;
                const [person] = (await admin.people({ prefix: name.toUpperCase() }).page()).items;
                if (person === undefined) {
                    return 'nobody';
                }

                const password = await admin.resetPassword(person);
                const states = [
                    (await admin.suspend(person, 'Spam', new Date('2036-04-01'))).state, (await admin.unsuspend(person)).state, (await admin.remove(person)).state, (await admin.restore(person)).state
                ];
                const permissions = [(await admin.grant(person, 'teacher')).permissions.teacher, (await admin.revoke(person, 'teacher')).permissions.teacher];
                const announced = await admin.announce({ text: 'Down on Saturday', until: '2036-04-01T00:00:00Z' });
                const own = await admin.ownAnnouncements();
                await admin.withdraw(announced);
                const { signUpCode, code } = await admin.createSignUpCode({ note: 'Year 5' });
                const codes = (await admin.signUpCodes().page()).items.filter(({ id }) => id === signUpCode.id);
                await admin.deleteSignUpCode(signUpCode);
                const app = await client.apps.create({ name: 'Editor', url: 'https://editor.example', redirect_uris: ['https://editor.example/done'] });
                const { webhook } = await client.webhooks.create({ url: 'https://hooks.example/in', events: ['project.changed'] });
                const trusted = (await admin.trustApp(app.app, true)).trusted;
                const apps = (await admin.apps().page()).items.filter(({ id }) => id === app.app.id).map((one) => one.name);
                await admin.deleteApp(app.app);
                const hooks = (await admin.webhooks().page()).items.filter(({ id }) => id === webhook.id).map(({ host: where }) => where);
                const enabled = (await admin.switchWebhookOff(webhook)).enabled;
                await client.webhooks.delete(webhook);
                const acts = [];
                for await (const { act, by } of admin.log({ count: 4 })) {
                    if (by?.id === session.user.id) {
                        acts.push(act);
                    }

                    if (acts.length === 13) {
                        break;
                    }
                }

                const moderation = [];
                for await (const { act, moderator } of admin.moderationLog({ count: 4 })) {
                    if (moderator?.id === session.user.id) {
                        moderation.push(act);
                    }

                    if (moderation.length === 2) {
                        break;
                    }
                }

                return {
                    password: password.length, states, permissions, details: (await admin.person(person)).projects, shown: own.map(({ id }) => id === announced.id), code: code.length, codes: codes.map(({ note }) => note), trusted, apps, hooks, enabled, acts,
                    moderation, days: (await admin.statistics()).days.length, running: (await admin.startMaintenance()).running, now: (await admin.maintenance()).running, signUp: await admin.signUp()
                };
            });
            expect(told).to.equal({
                password: 16, states: ['suspended', 'active', 'deleted', 'active'], permissions: [true, false], details: 0, shown: [true], code: 32, codes: ['Year 5'], trusted: true, apps: ['Editor'], hooks: ['hooks.example'], enabled: false,
                acts: ['switch_off', 'delete_app', 'trust_app', 'delete_code', 'create_code', 'withdraw', 'announce', 'revoke', 'grant', 'restore', 'remove', 'unsuspend', 'suspend'],
                moderation: ['unsuspend', 'suspend'], days: 30, running: false, now: false, signUp: 'open'
            });
        });
    }
});
