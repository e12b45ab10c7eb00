import { createServer } from 'node:http';
import type { Server } from 'node:http';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { openAuthor } from '../support/authoring';
import { hosts, sessionOf, startClientTest } from '../support/client';
import type { ClientTest } from '../support/client';
import { collectGarbage } from '../support/heap';
import { listen } from '../support/host';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const TOTAL = 12 * 1024 * 1024;

describe('calls of the client', () => {
    let on: ClientTest;
    let slow: Server;
    let slowUrl: string;
    /** lengths of what the slow server was sent, as their headers said */
    const lengths: (string | undefined)[] = [];

    before(async () => {
        on = await startClientTest();
        // Takes bodies slowly, and answers nothing but what is sent to project 2.
        slow = createServer((request, response) => {
            const cors = { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*, Authorization', 'access-control-allow-methods': '*' };
            if (request.method === 'OPTIONS') {
                response.writeHead(204, cors).end();
                return;
            }

            if (request.url?.includes('/projects/2/')) {
                lengths.push(request.headers['content-length']);
                request.on('data', () => {
                    request.pause();
                    setTimeout(() => request.resume(), 2);
                });
                request.on('end', () => response.writeHead(200, { ...cors, 'content-type': 'application/json' }).end('{"project":{"title":"Sent"}}'));
            }
        });
        slowUrl = `http://127.0.0.1:${await listen(slow)}`;
    });

    after(async () => {
        slow.close();
        slow.closeAllConnections();
        await on?.stop();
    });

    it('end when they are aborted, and when their time is over, also after garbage was collected in Node', async () => {
        const collecting = setInterval(collectGarbage, 50);
        try {
            const ends = await on.run('Node', { silent: slowUrl }, async ({ pagewright, given: { silent } }) => {
                const client = pagewright.createClient(silent);
                const stop = new AbortController();
                const over = { signal: new AbortController().signal, timeout: 300 };
                const aborted = { signal: stop.signal };
                const file = new Blob([new Uint8Array(100_000)]);
                const upload = (options: object): Promise<unknown> => client.assets.setThumbnail({ id: '1', user_id: '1' }, file, { ...options, onProgress: () => undefined });
                const calls = [client.projects.get('1', over), client.projects.get('1', aborted), upload(over), upload(aborted), client.assets.upload(file, over), client.takeout(aborted)];
                setTimeout(() => stop.abort(), 300);
                return await Promise.all(calls.map((call) => call.then(() => 'done', ({ name }: Error) => name)));
            });
            expect(ends).to.equal(['TimeoutError', 'AbortError', 'TimeoutError', 'AbortError', 'TimeoutError', 'AbortError']);
        }
        finally {
            clearInterval(collecting);
        }
    });

    for (const host of hosts) {
        describe(`in ${host}`, () => {
            it('end when their signal is aborted, and when their time is over, whichever method it is', async () => {
                const result = await on.run(host, { silent: slowUrl }, async ({ pagewright, given: { silent } }) => {
                    const client = pagewright.createClient(silent);
                    client.signInWith({ token: 'a', tokenId: '1', user: { id: '1', username: 'a' } });
                    const project = { id: '1', user_id: '1' };
                    const one = { id: '1' };
                    const inClass = { id: '1', class_id: '1' };
                    const file = new Blob(['a'], { type: 'image/png' });
                    const passkey = { id: 'a', rawId: 'a', type: 'public-key' as const, clientExtensionResults: {}, response: { clientDataJSON: 'a', attestationObject: 'a' } };
                    type Options = { signal?: AbortSignal; timeout?: number };
                    const methods: Record<string, (options: Options) => Promise<unknown>> = {
                        'export': (options) => client.export(project, options),
                        'import': (options) => client.import(file, options),
                        takeout: (options) => client.takeout(options),
                        takeoutOfClass: (options) => client.takeoutOfClass(one, options),
                        report: (options) => client.report(one, 'spam', '', options),
                        signUp: (options) => client.signUp({ username: 'a', password: 'b' }, options),
                        signIn: (options) => client.signIn({ username: 'a', password: 'b' }, options),
                        signInWithToken: (options) => client.signInWithToken('a', options),
                        save: (options) => client.save([{ type: 'elements', method: 'remove', base: { id: '1', revision: 1 } }], options),
                        'api.GET': (options) => client.api.GET('/featured-tags', options),
                        'api.POST': (options) => client.api.POST('/invitations', { body: { code: 'a' }, ...options }),
                        'api.PUT': (options) => client.api.PUT('/moderation/projects/{project}/hold', { params: { path: { project: '1' } }, body: { reason: 'a' }, ...options }),
                        'api.PATCH': (options) => client.api.PATCH('/users/{user}', { params: { path: { user: 'me' } }, body: { language: 'en' }, ...options }),
                        'api.DELETE': (options) => client.api.DELETE('/tokens', options),
                        'projects.all': (options) => client.projects.all(options).next(),
                        'projects.tagged': (options) => client.projects.tagged('a', options).next(),
                        'projects.search': (options) => client.projects.search('a', options).next(),
                        'projects.trending': (options) => client.projects.trending(options).next(),
                        'projects.mine': (options) => client.projects.mine(options).page(),
                        'projects.of': (options) => client.projects.of('1').page(options),
                        'projects.remixesOf': (options) => client.projects.remixesOf(project, options).next(),
                        'projects.featured': (options) => client.projects.featured(options).next(),
                        'projects.get': (options) => client.projects.get('1', options),
                        'projects.pages': (options) => client.projects.pages(project, options),
                        'projects.create': (options) => client.projects.create({ title: 'a' }, options),
                        'projects.remix': (options) => client.projects.remix(project, {}, options),
                        'collections.mine': (options) => client.collections.mine(options).next(),
                        'collections.of': (options) => client.collections.of('1', options).next(),
                        'collections.get': (options) => client.collections.get('1', options),
                        'collections.projects': (options) => client.collections.projects('1', options).next(),
                        'collections.create': (options) => client.collections.create({ title: 'a' }, options),
                        'collections.update': (options) => client.collections.update(one, { title: 'a' }, options),
                        'collections.delete': (options) => client.collections.delete(one, options),
                        'collections.put': (options) => client.collections.put(one, one, 0, options),
                        'collections.take': (options) => client.collections.take(one, one, options),
                        'people.block': (options) => client.people.block('a', options),
                        'people.unblock': (options) => client.people.unblock('a', options),
                        'people.blocked': (options) => client.people.blocked(options).next(),
                        'people.follow': (options) => client.people.follow('a', options),
                        'people.unfollow': (options) => client.people.unfollow('a', options),
                        'people.following': (options) => client.people.following(options).next(),
                        'people.feed': (options) => client.people.feed(options).next(),
                        'people.like': (options) => client.people.like(one, options),
                        'people.unlike': (options) => client.people.unlike(one, options),
                        'people.likes': (options) => client.people.likes(one, options),
                        'comments.list': (options) => client.comments.list(project, options).next(),
                        'comments.replies': (options) => client.comments.replies(one, project, options).next(),
                        'comments.create': (options) => client.comments.create(project, { text: 'a' }, options),
                        'comments.update': (options) => client.comments.update(project, one, 'a', options),
                        'comments.delete': (options) => client.comments.delete(project, one, options),
                        'comments.settings': (options) => client.comments.settings(project, options),
                        'comments.setWho': (options) => client.comments.setWho(project, 'nobody', options),
                        'history.list': (options) => client.history.list(project, options).next(),
                        'history.at': (options) => client.history.at(project, 1, options),
                        'history.label': (options) => client.history.label(project, 1, 'a', options),
                        'history.unlabel': (options) => client.history.unlabel(project, 1, options),
                        'history.restore': (options) => client.history.restore(project, 1, options),
                        'history.undo': (options) => client.history.undo(project, 1, options),
                        'history.since': (options) => client.history.since(project, 1, options),
                        'trash.list': (options) => client.trash.list(options).next(),
                        'trash.restore': (options) => client.trash.restore(one, undefined, options),
                        'trash.delete': (options) => client.trash.delete(one, options),
                        'remixes.lineage': (options) => client.remixes.lineage(project, options),
                        'remixes.upstream': (options) => client.remixes.upstream(project, options),
                        'remixes.pull': (options) => client.remixes.pull(project, options),
                        'assets.upload': (options) => client.assets.upload(file, options),
                        'assets.setThumbnail': (options) => client.assets.setThumbnail(project, new Blob([new Uint8Array(12_000_000)]), { ...options, onProgress: () => undefined }),
                        'assets.mine': (options) => client.assets.mine(options).next(),
                        'assets.lift': (options) => client.assets.lift([{ type: 'elements', method: 'update', base: { id: '1', revision: 1, attributes: {}, styles: {} }, data: { attributes: { src: `data:image/png;base64,${'A'.repeat(5000)}` } } }], options),
                        'classes.mine': (options) => client.classes.mine(options),
                        'classes.get': (options) => client.classes.get('1', options),
                        'classes.create': (options) => client.classes.create({ title: 'a' }, options),
                        'classes.update': (options) => client.classes.update(one, { title: 'a' }, options),
                        'classes.delete': (options) => client.classes.delete(one, options),
                        'classes.join': (options) => client.classes.join('a', options),
                        'classes.enrol': (options) => client.classes.enrol(one, ['a'], undefined, options),
                        'classes.updatePupil': (options) => client.classes.updatePupil(one, '1', { passphrase: true }, options),
                        'classes.removePupil': (options) => client.classes.removePupil(one, '1', options),
                        'classes.addTeacher': (options) => client.classes.addTeacher(one, 'a', options),
                        'classes.removeTeacher': (options) => client.classes.removeTeacher(one, 'a', options),
                        'classes.projects': (options) => client.classes.projects(one, options).next(),
                        'classes.wall': (options) => client.classes.wall(one, options),
                        'classes.show': (options) => client.classes.show(one, one, options),
                        'classes.hide': (options) => client.classes.hide(one, one, 'a', options),
                        'classes.pause': (options) => client.classes.pause(one, '1', null, options),
                        'classes.putProject': (options) => client.classes.putProject(one, project, 'class', options),
                        'classes.takeProject': (options) => client.classes.takeProject(one, project, options),
                        'classes.ofProject': (options) => client.classes.ofProject(project, options),
                        'classes.assignments': (options) => client.classes.assignments(one, options),
                        'classes.assignment': (options) => client.classes.assignment(inClass, options),
                        'classes.assign': (options) => client.classes.assign(one, { title: 'a' }, options),
                        'classes.updateAssignment': (options) => client.classes.updateAssignment(inClass, { title: 'a' }, options),
                        'classes.deleteAssignment': (options) => client.classes.deleteAssignment(inClass, options),
                        'classes.begin': (options) => client.classes.begin(inClass, options),
                        'classes.works': (options) => client.classes.works(inClass, options),
                        'classes.handIn': (options) => client.classes.handIn(inClass, one, options),
                        'classes.takeBack': (options) => client.classes.takeBack(inClass, one, options),
                        'classes.review': (options) => client.classes.review(inClass, one, 'returned', 'a', options),
                        'members.list': (options) => client.members.list(project, options),
                        'members.put': (options) => client.members.put(project, 'a', 'editor', options),
                        'members.remove': (options) => client.members.remove(project, 'a', options),
                        'members.invite': (options) => client.members.invite(project, { role: 'editor' }, options),
                        'members.invitations': (options) => client.members.invitations(project, options),
                        'members.withdraw': (options) => client.members.withdraw(project, one, options),
                        'members.join': (options) => client.members.join('a', options),
                        'members.shared': (options) => client.members.shared(options).next(),
                        'members.present': (options) => client.members.present(project, {}, options),
                        'moderation.reports': (options) => client.moderation.reports(options).next(),
                        'moderation.decide': (options) => client.moderation.decide(one, 'kept', 'a', options),
                        'moderation.feature': (options) => client.moderation.feature(project, true, options),
                        'moderation.remove': (options) => client.moderation.remove(project, options),
                        'moderation.trash': (options) => client.moderation.trash(one, options).next(),
                        'moderation.restore': (options) => client.moderation.restore(one, one, options),
                        'moderation.hold': (options) => client.moderation.hold(one, 'a', options),
                        'moderation.queue': (options) => client.moderation.queue({ kind: 'comment', ...options }).next(),
                        'moderation.decideComment': (options) => client.moderation.decideComment(one, 'kept', 'a', options),
                        'moderation.decideUser': (options) => client.moderation.decideUser(one, 'kept', 'a', options),
                        reportComment: (options) => client.reportComment(one, 'spam', 'a', options),
                        reportUser: (options) => client.reportUser(one, 'spam', 'a', options),
                        reports: (options) => client.reports(options).next(),
                        'moderation.release': (options) => client.moderation.release(one, options),
                        'moderation.suspend': (options) => client.moderation.suspend(one, 'a', undefined, options),
                        'moderation.blockPicture': (options) => client.moderation.blockPicture('0'.repeat(64), 'a', options),
                        'moderation.unblockPicture': (options) => client.moderation.unblockPicture('0'.repeat(64), 'a', options),
                        'moderation.unsuspend': (options) => client.moderation.unsuspend(one, options),
                        'moderation.appeals': (options) => client.moderation.appeals(options).next(),
                        'moderation.decideAppeal': (options) => client.moderation.decideAppeal(one, 'upheld', 'a', options),
                        'moderation.summary': (options) => client.moderation.summary(options),
                        'moderation.log': (options) => client.moderation.log(options).next(),
                        'admin.announcements': (options) => client.admin.announcements(options),
                        'admin.ownAnnouncements': (options) => client.admin.ownAnnouncements(options),
                        'admin.announce': (options) => client.admin.announce({ text: 'a', until: '2036-04-01T00:00:00Z' }, options),
                        'admin.withdraw': (options) => client.admin.withdraw(one, options),
                        'admin.people': (options) => client.admin.people({}, options).next(),
                        'admin.person': (options) => client.admin.person(one, options),
                        'admin.resetPassword': (options) => client.admin.resetPassword(one, options),
                        'admin.suspend': (options) => client.admin.suspend(one, 'a', undefined, options),
                        'admin.unsuspend': (options) => client.admin.unsuspend(one, options),
                        'admin.remove': (options) => client.admin.remove(one, options),
                        'admin.restore': (options) => client.admin.restore(one, options),
                        'admin.grant': (options) => client.admin.grant(one, 'teacher', options),
                        'admin.revoke': (options) => client.admin.revoke(one, 'teacher', options),
                        'admin.log': (options) => client.admin.log(options).next(),
                        'admin.moderationLog': (options) => client.admin.moderationLog(options).next(),
                        'admin.statistics': (options) => client.admin.statistics(options),
                        'admin.maintenance': (options) => client.admin.maintenance(options),
                        'admin.startMaintenance': (options) => client.admin.startMaintenance(options),
                        'admin.apps': (options) => client.admin.apps(options).next(),
                        'admin.trustApp': (options) => client.admin.trustApp(one, true, options),
                        'admin.deleteApp': (options) => client.admin.deleteApp(one, options),
                        'admin.webhooks': (options) => client.admin.webhooks(options).next(),
                        'admin.switchWebhookOff': (options) => client.admin.switchWebhookOff(one, options),
                        'admin.signUpCodes': (options) => client.admin.signUpCodes(options).next(),
                        'admin.createSignUpCode': (options) => client.admin.createSignUpCode({}, options),
                        'admin.deleteSignUpCode': (options) => client.admin.deleteSignUpCode(one, options),
                        'admin.signUp': (options) => client.admin.signUp(options),
                        'account.get': (options) => client.account.get(options),
                        'account.update': (options) => client.account.update({ language: 'en' }, options),
                        'account.changePassword': (options) => client.account.changePassword('a', 'b', options),
                        'account.delete': (options) => client.account.delete(options),
                        'account.statements': (options) => client.account.statements(options).next(),
                        'account.appeal': (options) => client.account.appeal(one, 'a', options),
                        'account.tokens': (options) => client.account.tokens(options),
                        'account.revoke': (options) => client.account.revoke(one, options),
                        'account.createToken': (options) => client.account.createToken({ label: 'a', scope: ['projects'] }, options),
                        'account.passkeys': (options) => client.account.passkeys(options),
                        'account.passkeyOptions': (options) => client.account.passkeyOptions(options),
                        'account.addPasskey': (options) => client.account.addPasskey({ label: 'a', passkey }, options),
                        'account.removePasskey': (options) => client.account.removePasskey(one, options),
                        'account.identities': (options) => client.account.identities(options),
                        'account.addIdentity': (options) => client.account.addIdentity({ provider: 'a', key: 'A'.repeat(43), answer: 'b' }, options),
                        'account.removeIdentity': (options) => client.account.removeIdentity(one, options),
                        'account.address': (options) => client.account.address(options),
                        'account.changeAddress': (options) => client.account.changeAddress('a@b.example', 'correct horse battery', options),
                        'account.confirmAddress': (options) => client.account.confirmAddress('A'.repeat(43), options),
                        'account.removeAddress': (options) => client.account.removeAddress(options),
                        'account.createRecoveryCodes': (options) => client.account.createRecoveryCodes(options),
                        'apps.get': (options) => client.apps.get('1', options),
                        'apps.mine': (options) => client.apps.mine(options),
                        'apps.create': (options) => client.apps.create({ name: 'a', url: 'https://a.example', redirect_uris: ['https://a.example/b'] }, options),
                        'apps.update': (options) => client.apps.update(one, { name: 'b' }, options),
                        'apps.replaceSecret': (options) => client.apps.replaceSecret(one, options),
                        'apps.delete': (options) => client.apps.delete(one, options),
                        'apps.used': (options) => client.apps.used(options),
                        'apps.end': (options) => client.apps.end(one, options),
                        'webhooks.list': (options) => client.webhooks.list(options),
                        'webhooks.create': (options) => client.webhooks.create({ url: 'https://a.example', events: ['project.held'] }, options),
                        'webhooks.update': (options) => client.webhooks.update(one, { enabled: true }, options),
                        'webhooks.replaceSecret': (options) => client.webhooks.replaceSecret(one, options),
                        'webhooks.delete': (options) => client.webhooks.delete(one, options),
                        'webhooks.test': (options) => client.webhooks.test(one, options),
                        'webhooks.deliveries': (options) => client.webhooks.deliveries(one, options).next(),
                        'webhooks.sendAgain': (options) => client.webhooks.sendAgain(one, one, options),
                        'notices.list': (options) => client.notices.list(options).next(),
                        'notices.unread': (options) => client.notices.unread(options),
                        'notices.read': (options) => client.notices.read(one, options),
                        'notices.letter': (options) => client.notices.letter(options),
                        'notices.setLetter': (options) => client.notices.setLetter(true, options),
                        passkeyOptions: (options) => client.passkeyOptions(options),
                        signInWithPictures: (options) => client.signInWithPictures({ device: 'a', pupil: '1', pictures: ['apple', 'ball', 'boat'] }, options),
                        'classes.addDevice': (options) => client.classes.addDevice(one, options),
                        'classes.devices': (options) => client.classes.devices(one, options),
                        'classes.removeDevice': (options) => client.classes.removeDevice(one, one, options),
                        'classes.prepare': (options) => client.classes.prepare('a', undefined, options),
                        'classes.namesOn': (options) => client.classes.namesOn('a', options),
                        signInWithPasskey: (options) => client.signInWithPasskey({ passkey: { ...passkey, response: { clientDataJSON: 'a', authenticatorData: 'a', signature: 'a' } } }, options),
                        askForPassword: (options) => client.askForPassword('a', options),
                        choosePassword: (options) => client.choosePassword('A'.repeat(43), 'correct horse battery', options),
                        beginSignIn: (options) => client.beginSignIn({ provider: 'a' }, options),
                        signInWithProvider: (options) => client.signInWithProvider({ provider: 'a', key: 'A'.repeat(43), answer: 'b' }, options),
                        signInWithRecoveryCode: (options) => client.signInWithRecoveryCode({ username: 'a', recovery_code: 'b' }, options)
                    };
                    const ending = (call: Promise<unknown>): Promise<string> => call.then(() => 'done', ({ name }: Error) => name);
                    const wrong: string[] = [];
                    await Promise.all(Object.entries(methods).map(async ([name, call]) => {
                        const stop = new AbortController();
                        const aborted = ending(call({ signal: stop.signal }));
                        const timedOut = ending(call({ timeout: 40 }));
                        setTimeout(() => stop.abort(), 20);
                        const ends = [await aborted, await timedOut];
                        if (String(ends) !== 'AbortError,TimeoutError') {
                            wrong.push(`${name} ${ends}`);
                        }
                    }));

                    // These three end without an error: a watch just stops, and whoever signs out is signed out in any case.
                    const start = Date.now();
                    for await (const change of client.watch(project, { timeout: 40 })) {
                        wrong.push(`watch ${change.revision}`);
                    }

                    for await (const change of client.classes.watch(one, { timeout: 40 })) {
                        wrong.push(`classes.watch ${change.state}`);
                    }

                    wrong.push(...[await ending(client.signOut({ everywhere: true, timeout: 40 }))].filter((end) => end !== 'TimeoutError'));
                    const isFunction = ([, value]: [string, unknown]): boolean => typeof value === 'function';
                    const groups = Object.entries(client).filter(([, value]) => typeof value === 'object' && value !== null);
                    const all = [
                        ...Object.entries(client).filter(isFunction).map(([name]) => name),
                        ...groups.flatMap(([group, members]) => Object.entries(members).filter(isFunction).map(([name]) => `${group}.${name}`))
                    ];
                    return { wrong, session: client.session, isQuick: Date.now() - start < 60_000, untried: all.filter((name) => methods[name] === undefined).sort() };
                });
                expect(result).to.equal({
                    wrong: [], session: null, isQuick: true,
                    // Three that end otherwise, as above, and what asks the service nothing.
                    untried: ['assets.reference', 'assets.resolve', 'classes.watch', 'notices.watch', 'queue', 'signInWith', 'signOut', 'subscribe', 'watch']
                });
            });

            it('tell how many bytes of an upload have been sent, and give it up in the middle', async () => {
                lengths.length = 0;
                const { told, title, end, rest } = await on.run(host, { slow: slowUrl, size: TOTAL }, async ({ pagewright, given }) => {
                    const client = pagewright.createClient(given.slow);
                    const picture = new Blob([new Uint8Array(given.size)], { type: 'image/png' });
                    const steps: [number, number][] = [];
                    const project = await client.assets.setThumbnail({ id: '2', user_id: '1' }, picture, { onProgress: (...step) => void steps.push(step) });
                    const stop = new AbortController();
                    const later: number[] = [];
                    const name = await client.assets.setThumbnail({ id: '2', user_id: '1' }, picture, {
                        signal: stop.signal,
                        onProgress: (sent) => {
                            later.push(sent);
                            if (sent > 0) {
                                stop.abort();
                            }
                        }
                    }).then(() => 'done', (error: Error) => error.name);
                    return { told: steps, title: project.title, end: name, rest: later.at(-1) };
                });
                expect(title).to.equal('Sent');
                expect([told[0], told.at(-1)]).to.equal([[0, TOTAL], [TOTAL, TOTAL]]);
                expect(told.every(([sent, total], index) => total === TOTAL && sent >= (told[index - 1]?.[0] ?? 0))).to.be.true();
                expect(told.filter(([sent]) => sent > 0 && sent < TOTAL).length, 'steps on the way').to.be.above(1);
                expect(end).to.equal('AbortError');
                expect(Number(rest)).to.be.below(TOTAL);
                expect(lengths[0]).to.equal(String(TOTAL));
            });

            it('send an import with its progress, and an error of the service as it is', async () => {
                const author = await openAuthor(on.test);
                const { id } = await author.project({ title: 'Moved' });
                const result = await on.run(host, { session: sessionOf(author), project: { id, user_id: author.id } }, async ({ pagewright, url, given }) => {
                    const client = pagewright.createClient(url);
                    client.signInWith(given.session);
                    const zip = await (await client.export(given.project)).blob();
                    const steps: number[] = [];
                    const { title } = await client.import(zip, { onProgress: (sent) => void steps.push(sent) });
                    const error = await client.import(new Blob(['no zip']), { onProgress: () => undefined }).catch((failure: unknown) => failure);
                    return { title, ends: [steps[0], steps.at(-1)], size: zip.size, status: error instanceof pagewright.PagewrightError ? `${error.status} ${error.code} ${error.requestId !== undefined}` : String(error) };
                });
                expect(result).to.include({ title: 'Moved', ends: [0, result.size] });
                expect(result.status).to.match(/^400 \w+ true$/);
            });

            it('read a list page by page', async () => {
                const author = await openAuthor(on.test);
                for (let n = 1; n <= 5; ++n) {
                    await author.project({ title: `Project ${n}` });
                }

                const pages = await on.run(host, { user: author.id }, async ({ pagewright, url, given: { user } }) => {
                    const list = pagewright.createClient(url).projects.of(user, { count: 2 });
                    const read: string[] = [];
                    let cursor: string | null = null;
                    do {
                        const { items, next }: { items: { title: string }[]; next: string | null } = await list.page({ after: cursor });
                        read.push(items.map(({ title }) => title).join());
                        cursor = next;
                    } while (cursor !== null);

                    const { items, next } = await list.page({ count: 4 });
                    const rest = await list.page({ after: next, count: 4 });
                    return [...read, String(items.length), String(rest.items.length), String(rest.next)];
                });
                expect(pages).to.equal(['Project 5,Project 4', 'Project 3,Project 2', 'Project 1', '4', '1', 'null']);
            });
        });
    }
});
