import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { run } from '../../src/operations/cli/main';
import { openAuthor } from '../support/authoring';
import { hosts, sessionOf, startClientTest } from '../support/client';
import type { ClientTest } from '../support/client';
import { fakeHost } from '../support/host';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

describe('the client and classes', { timeout: 60_000 }, () => {
    let on: ClientTest;

    before(async () => {
        on = await startClientTest();
    });

    after(() => on?.stop());

    for (const host of hosts) {
        it(`makes a class, opens accounts in it, and takes people out, in ${host}`, async () => {
            const [ada, eve, ben] = [await openAuthor(on.test), await openAuthor(on.test), await openAuthor(on.test)];
            const admin = fakeHost({ DATA_DIR: on.test.dataDir });
            for (const { username } of [ada, eve]) {
                expect(await run(['grant', username, 'teacher'], admin), admin.err).to.equal(0);
            }

            const told = await on.run(host, { ada: sessionOf(ada), ben: sessionOf(ben), eve: eve.username }, async ({ pagewright, url, given }) => {
                const [hers, his, pupil] = [pagewright.createClient(url), pagewright.createClient(url), pagewright.createClient(url)];
                hers.signInWith(given.ada);
                his.signInWith(given.ben);
                const { class: made, code } = await hers.classes.create({ title: 'Year 5' });
                const joined = await his.classes.join(code);
                const first = await hers.classes.enrol(made, ['Ana', 'Cem'], 'a-key-of-a-client-1');
                const again = await hers.classes.enrol(made, ['Ana', 'Cem'], 'a-key-of-a-client-1');
                const [ana, cem] = first;
                const renewed = await hers.classes.updatePupil(made, String(ana?.user.id), { passphrase: true, name: 'Ana S.' });
                const named = await hers.classes.updatePupil(made, String(cem?.user.id), { name: 'Cem C.' });
                await pupil.signIn({ username: String(ana?.user.username), password: String(renewed.passphrase) });
                const seen = await pupil.classes.get(made.id);
                const { project } = await pupil.projects.create({ title: 'Mine' });
                const placed = await pupil.classes.putProject(made, project, 'class');
                const shown = (await his.classes.projects(made).page()).items.map(({ title }) => title);
                const others = (await hers.classes.projects(made, { pupil: given.ben.user.id }).page()).items;
                const places = await pupil.classes.ofProject(project);
                await pupil.classes.takeProject(made, project);
                const afterwards = await pupil.classes.ofProject(project);
                const changed = await hers.classes.update(made, { title: 'Year 6', code: true });
                const teacher = await hers.classes.addTeacher(made, given.eve);
                await hers.classes.removeTeacher(made, given.eve);
                await hers.classes.removePupil(made, String(cem?.user.id), { removeAccount: true });
                await his.classes.removePupil(made, given.ben.user.id);
                const left = await hers.classes.get(made.id);
                await hers.classes.delete(made, { removeAccounts: true });
                return {
                    placed: [placed.id === made.id, placed.audience, shown, others.length, places.length, afterwards.length],
                    joined: joined.role, isSame: JSON.stringify(first) === JSON.stringify(again), named: [renewed.pupil.name, named.pupil.name, named.passphrase],
                    seen: [seen.role, seen.code, seen.pupils.map(({ name }) => name)], changed: [changed.class.title, changed.code === code], teacher: teacher.username,
                    left: left.pupils.map(({ name }) => name), mine: (await hers.classes.mine()).length
                };
            });
            expect(told).to.equal({
                placed: [true, 'class', ['Mine'], 0, 1, 0],
                joined: 'pupil', isSame: true, named: ['Ana S.', 'Cem C.', undefined], seen: ['pupil', undefined, ['Ana S.', 'Cem C.', null]], changed: ['Year 6', false], teacher: eve.username, left: ['Ana S.'], mine: 0
            });
        });
    }
});
