import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { run } from '../../src/operations/cli/main';
import { openAuthor } from '../support/authoring';
import { hosts, sessionOf, startClientTest } from '../support/client';
import type { ClientTest } from '../support/client';
import { fakeHost } from '../support/host';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

describe('the client and classes', () => {
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
                const hidden = await hers.classes.hide(made, project, 'Not this joke.');
                const { items, unseen } = await hers.classes.wall(made, { state: 'hidden', pupil: String(ana?.user.id) });
                const states = [hidden.state, hidden.reason, items.length, unseen.map(({ state }) => state).join(), (await hers.classes.show(made, project)).state, (await hers.classes.projects(made, { state: 'waiting' }).page()).items.length];
                const paused = await hers.classes.pause(made, String(ana?.user.id), '2036-04-01T12:00:00Z');
                const refused = await pupil.projects.create({ title: 'x' }).then(() => 'made', (error: { code?: string }) => error.code);
                const ended = await hers.classes.pause(made, String(ana?.user.id), null);
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
                    states, pauses: [paused.paused_until, refused, ended.paused_until],
                    placed: [placed.id === made.id, placed.audience, shown, others.length, places.length, afterwards.length],
                    joined: joined.role, isSame: JSON.stringify(first) === JSON.stringify(again), named: [renewed.pupil.name, named.pupil.name, named.passphrase],
                    seen: [seen.role, seen.code, seen.pupils.map(({ name }) => name)], changed: [changed.class.title, changed.code === code], teacher: teacher.username,
                    left: left.pupils.map(({ name }) => name), mine: (await hers.classes.mine()).length
                };
            });
            expect(told).to.equal({
                states: ['hidden', 'Not this joke.', 1, 'hidden', 'shown', 0], pauses: ['2036-04-01T12:00:00.000Z', 'paused', null],
                placed: [true, 'class', ['Mine'], 0, 1, 0],
                joined: 'pupil', isSame: true, named: ['Ana S.', 'Cem C.', undefined], seen: ['pupil', undefined, ['Ana S.', 'Cem C.', null]], changed: ['Year 6', false], teacher: eve.username, left: ['Ana S.'], mine: 0
            });
        });

        it(`gives assignments, hands in and reviews, in ${host}`, async () => {
            const [ada, ben] = [await openAuthor(on.test), await openAuthor(on.test)];
            const admin = fakeHost({ DATA_DIR: on.test.dataDir });
            expect(await run(['grant', ada.username, 'teacher'], admin), admin.err).to.equal(0);
            const told = await on.run(host, { ada: sessionOf(ada), ben: sessionOf(ben) }, async ({ pagewright, url, given }) => {
                const [hers, his] = [pagewright.createClient(url), pagewright.createClient(url)];
                hers.signInWith(given.ada);
                his.signInWith(given.ben);
                const { class: made, code } = await hers.classes.create({ title: 'Year 5' });
                await his.classes.join(code);
                const { project: frame } = await hers.projects.create({ title: 'Frame', visibility: 'private' });
                const task = await hers.classes.assign(made, { title: 'A story', template: frame.id });
                const changed = await hers.classes.updateAssignment(task, { due_at: '2036-04-01T12:00:00Z', template: null });
                const work = await his.classes.begin(task);
                const place = { id: String(work.project_id), user_id: given.ben.user.id };
                const first = await his.classes.handIn(task, work);
                const back = await his.classes.takeBack(task, work);
                await his.save([{ type: 'projects', method: 'update', base: await his.projects.get(place.id), data: { title: 'The wolf' } }]);
                const second = await his.classes.handIn(task, work, { point: 2 });
                const reviewed = await hers.classes.review(task, work, 'returned', 'More');
                const accepted = await hers.classes.review(task, work, 'accepted');
                const seen = await hers.history.at(place, Number(second.point));
                const zip = await (await hers.export(place, { point: Number(second.point) })).blob();
                const copy = await hers.import(zip);
                const all = await (await hers.takeoutOfClass(made)).blob();
                const works = await hers.classes.works(task);
                const [listed] = await his.classes.assignments(made);
                const counts = (await hers.classes.assignment(task)).counts?.accepted;
                await hers.classes.deleteAssignment(task);
                return {
                    changed: [changed.due_at, changed.template], states: [work, first, back, second, reviewed, accepted].map(({ state, point }) => [state, point]), note: accepted.note,
                    seen: seen.project.title, copy: copy.title, larger: all.size > zip.size, works: works.map(({ pupil }) => pupil?.user.id), listed: listed?.work?.state, counts, left: (await hers.classes.assignments(made)).length
                };
            });
            expect(told).to.equal({
                changed: ['2036-04-01T12:00:00.000Z', null], states: [['started', null], ['handed_in', 1], ['started', null], ['handed_in', 2], ['returned', 2], ['accepted', 2]], note: 'More',
                seen: 'The wolf', copy: 'The wolf', larger: true, works: [ben.id], listed: 'accepted', counts: 1, left: 0
            });
        });
    }
});
