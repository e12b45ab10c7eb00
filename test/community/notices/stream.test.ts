import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { hashSecret } from '../../../src/api/auth/secrets';
import { keepNotifying } from '../../../src/community/notices/jobs';
import { MAX_NOTICE_STREAMS } from '../../../src/community/notices/limits';
import { clientLimits } from '../../../src/api/request/client-limits';
import { openAuthor } from '../../support/authoring';
import type { Author } from '../../support/authoring';
import { Cast } from '../../support/cast';
import { watch } from '../../support/events';
import type { Watcher } from '../../support/events';
import { until } from '../../support/host';
import { startTestServer } from '../../support/server';
import type { TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, afterEach, before, describe, it } = lab;

describe('the stream of notices', () => {
    let server: TestServer;
    let ada: Author;
    let ben: Author;
    let stop: () => Promise<void>;
    const open: Watcher[] = [];

    before(async () => {
        server = await startTestServer({ limits: clientLimits });
        await server.server.start();
        [ada, ben] = await Promise.all([openAuthor(server), openAuthor(server)]);
        stop = keepNotifying(server.database.db, false, { warn: () => undefined }, 50);
    });

    after(async () => {
        await stop();
        await server.stop();
    });

    afterEach(() => {
        open.splice(0).forEach((one) => one.close());
    });

    const events = async (token: string): Promise<Watcher> => {
        const watcher = await watch(`${server.server.info.uri}/users/me/notices/events`, { authorization: `token ${token}` });
        open.push(watcher);
        return watcher;
    };

    it('tells how many are unread at once, with each new one, and when they were read', async () => {
        const watcher = await events(ada.token);
        expect([watcher.status, watcher.headers['content-type']]).to.equal([200, 'text/event-stream; charset=utf-8']);
        const [first] = await watcher.has(1);
        expect([first?.event, first?.data]).to.equal(['notice', { unread: 0, newest: null }]);
        await ben.remix(await ada.project());
        const [, second] = await watcher.has(2);
        const { body: { notices: [notice] } } = await ada.call('GET', '/users/me/notices');
        expect(second?.data).to.equal({ unread: 1, newest: notice.id });
        await ada.call('PUT', '/users/me/notices/read', { until: notice.id });
        const [, , third] = await watcher.has(3);
        expect(third?.data).to.equal({ unread: 0, newest: notice.id });
    });

    it('says nothing of what others are told', async () => {
        const watcher = await events(ben.token);
        await watcher.has(1);
        await ben.remix(await ada.project());
        await until(async () => (await ada.call('GET', '/users/me/notices')).body.unread > 0);
        await sleep(700);
        expect(watcher.events.length).to.equal(1);
    });

    it('ends with the token', async () => {
        const secret = await new Cast(server).token(ada.id);
        const [own, other] = [await events(secret), await events(ada.token)];
        await Promise.all([own.has(1), other.has(1)]);
        await server.database.db.raw('delete from tokens where hash = ?', [hashSecret(secret)]);
        await until(() => own.complete);
        expect([own.events.map(({ event }) => event), other.complete]).to.equal([['notice'], false]);
    });

    it('is open so many times for one user: one more ends the oldest', async () => {
        const all: Watcher[] = [];
        for (let n = 0; n <= MAX_NOTICE_STREAMS; ++n) {
            all.push(await events(ben.token));
        }

        await until(() => all[0]?.complete === true);
        expect(all.slice(1).some(({ complete }) => complete)).to.be.false();
    });
});
