import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { clientLimits } from '../../../src/api/request/client-limits';
import { EventStream } from '../../../src/api/request/event-stream';
import { liveHub } from '../../../src/projects/live/hub';
import type { HubOptions, LiveHub } from '../../../src/projects/live/hub';
import { streamPlaces } from '../../../src/projects/live/places';
import type { StreamPlaces } from '../../../src/projects/live/places';
import { ProjectStream } from '../../../src/projects/live/project-stream';
import type { Moved } from '../../../src/projects/live/queries';
import { openAuthor } from '../../support/authoring';
import { expectQuick } from '../../support/clock';
import { watch } from '../../support/events';
import { until } from '../../support/host';
import { interrupted } from '../../support/queries';
import { startTestServer } from '../../support/server';

export const lab = Lab.script();
const { describe, it } = lab;

describe('a stream of events', () => {
    it('has comments, and ends after a while with a time to wait', async () => {
        const server = await startTestServer({ limits: { ...clientLimits, streamComment: 300, streamLife: 1000 } });
        await server.server.start();
        const ada = await openAuthor(server);
        const project = await ada.project();
        const watcher = await watch(`${server.server.info.uri}${project.url}/events`);
        await until(() => watcher.closed);
        expect(watcher.complete).to.be.true();
        expect(watcher.text).to.match(/^retry: [1-5]\d{3}\n\n(?::\n\n){1,5}retry: [1-5]\d{3}\n\n$/);
        await server.stop();
    });

    it('ends at once when the service stops, also if it comes later', async () => {
        const server = await startTestServer({ limits: clientLimits });
        await server.server.start();
        const ada = await openAuthor(server);
        const project = await ada.project();
        const watchers = await Promise.all(Array.from({ length: 20 }, () => watch(`${server.server.info.uri}${project.url}/events`)));
        const began = performance.now();
        await server.server.stop({ timeout: 5000 });
        // Otherwise it waits for the whole time limit.
        expectQuick(performance.now() - began, 4000);
        await until(() => watchers.every(({ closed }) => closed));
        expect(watchers.every(({ complete }) => complete)).to.be.true();
        const late = await server.call('GET', `${project.url}/events`);
        expect([late.status, late.text.match(/retry/g)?.length]).to.equal([200, 2]);
        await server.stop();
    });

    it('is given up when its client goes, also while the project is looked up, or while another response comes first', async () => {
        const server = await startTestServer({ limits: clientLimits });
        await server.server.start();
        const { places } = server.server.plugins.live;
        const ada = await openAuthor(server);
        const project = await ada.project();
        const open = async (times: number): Promise<Socket> => {
            const socket = connect(Number(server.server.info.port), '127.0.0.1');
            await once(socket, 'connect');
            socket.write(`GET ${project.url}/events HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(times));
            return socket;
        };

        const three = await open(3);
        await until(() => places.count() === 3);
        three.destroy();
        await until(() => places.count() === 0);

        let early: Socket | undefined;
        let lookedUp = false;
        await interrupted(/as open, p\.revision/, async () => {
            early?.destroy();
            await sleep(100);
            lookedUp = true;
        }, async () => {
            early = await open(1);
            await until(() => lookedUp);
            await sleep(100);
        });
        expect(places.count()).to.equal(0);
        await server.stop();
    });

    it('is cut off if its client leaves too much unread', async () => {
        const server = await startTestServer({ limits: clientLimits });
        let stream: EventStream | undefined;
        server.server.route({ method: 'GET', path: '/unread', options: { app: { cost: 'cheap' } }, handler: (_request, h) => {
            stream = new EventStream(clientLimits.streamBytes);
            return h.response(stream).type('text/event-stream');
        } });
        await server.server.start();
        const socket = connect(Number(server.server.info.port), '127.0.0.1').pause();
        await once(socket, 'connect');
        socket.write('GET /unread HTTP/1.1\r\nHost: x\r\n\r\n');
        await until(() => stream);
        // The operating system buffers some MiB.
        for (let sent = 0; stream?.destroyed === false && sent < 1000; ++sent) {
            stream.event('large', JSON.stringify('x'.repeat(60_000)));
            await sleep(1);
        }

        expect(stream?.destroyed).to.be.true();
        const closed = once(socket, 'close');
        socket.resume().on('error', () => undefined);
        await closed;
        await server.stop();
    });
});

describe('the hub of the streams', () => {
    /** A hub over a fake database. */
    const hubOver = (read: HubOptions['read'], { most = 10, failing = () => undefined }: { most?: number; failing?: HubOptions['failing'] } = {}): LiveHub & Pick<StreamPlaces, 'close' | 'count'> => {
        const places = streamPlaces({ most, commentEvery: 10_000, life: 10_000 });
        return { ...liveHub({ places, read, failing }), close: places.close, count: places.count };
    };

    const change = (revision: number): { revision: number; data: string } => ({ revision, data: `{"revision":${revision}}` });
    const textOf = (stream: ProjectStream): string => String(stream.read()).replace(/retry: \d+/g, 'retry');
    const told = (stream: ProjectStream): number[] => [...textOf(stream).matchAll(/id: (\d+)/g)].map(([, id]) => Number(id));

    it('tells a stream that came during a look what it does not know, by another look', async () => {
        const early = new ProjectStream(5, 10_000);
        const late = new ProjectStream(2, 10_000);
        const asked: number[] = [];
        const hub = hubOver(async (seen) => {
            const since = seen[0]?.seen ?? 0;
            asked.push(since);
            if (asked.length === 1) {
                hub.add(late, '1', 'b');
                await sleep(30);
            }

            return since === 6 ? [] : [{ n: 1, since, expired: false, revision: 6, changes: [3, 4, 5, 6].filter((one) => one > since).map(change), comments: [] }];
        });
        hub.add(early, '1', 'a');
        await until(() => asked.length >= 3);
        expect([told(early), told(late)]).to.equal([[6], [3, 4, 5, 6]]);
        expect(asked.slice(0, 3)).to.equal([5, 2, 6]);
        hub.close();
    });

    it('looks again at once if there was more than one look can tell, or if it was asked to meanwhile', async () => {
        const times: number[] = [];
        const hub = hubOver((seen) => {
            times.push(performance.now());
            const all = seen.map(({ seen: since }, index): Moved => ({ n: index + 1, since, expired: false, revision: 2, changes: [change(2)], comments: [] }));
            return Promise.resolve(all.filter(({ since }) => since === 1).slice(0, 50));
        }, { most: 200 });
        const streams = Array.from({ length: 120 }, () => new ProjectStream(1, 10_000));
        streams.forEach((stream, n) => hub.add(stream, String(n + 1), 'a'));
        await until(() => times.length >= 3);
        expectQuick(Number(times[2]) - Number(times[0]), 200);
        expect(streams.every((stream) => told(stream).length === 1)).to.be.true();
        hub.close();
    });

    it('stops looking when nobody watches, and forgets a project whose last stream went during a look', async () => {
        let looks = 0;
        const stream = new ProjectStream(1, 10_000);
        const hub = hubOver(async () => {
            ++looks;
            stream.destroy();
            await sleep(20);
            return [{ n: 1, expired: false, since: 1, revision: 2, changes: [change(2)], comments: [] }];
        });
        hub.add(stream, '1', 'a');
        await until(() => looks === 1 && hub.count() === 0);
        hub.look();
        await sleep(400);
        expect([looks, hub.count(), hub.watches('1')]).to.equal([1, 0, false]);
    });

    it('gives a place of whoever has the most to whoever has at least two fewer', () => {
        const hub = hubOver(() => Promise.resolve([]), { most: 3 });
        const streams = Array.from({ length: 6 }, () => new ProjectStream(1, 10_000));
        const places = streams.map((stream, n) => hub.add(stream, '1', 'abbbcc'.charAt(n)));
        expect(places).to.equal([true, true, true, false, true, false]);
        hub.close();
        expect(streams.map((stream) => textOf(stream).match(/retry/g)?.length)).to.equal([2, 2, 2, 1, 2, 1]);
    });

    it('lets a stream of a project that is no longer for everybody go on by its token, if that is still possible', async () => {
        const asked: unknown[] = [];
        const hub = hubOver((seen) => {
            asked.push(...seen.map(({ id, reader }) => `${id} ${reader}`));
            return Promise.resolve(seen.map(({ seen: since, reader }, index): Moved => ({ n: index + 1, since, expired: false, revision: reader === null ? null : since, changes: [], comments: [] })));
        }, { most: 5 });
        const as = { reader: '7' };
        const streams: ProjectStream[] = [
            () => Promise.resolve(as), () => Promise.resolve(undefined), () => Promise.reject(new Error('away')), () => {
                streams[3]?.destroy();
                return Promise.resolve(as);
            }, async () => {
                await sleep(20);
                for (let n = 0; n < 5; ++n) {
                    hub.add(new ProjectStream(1, 10_000, as), '2', `other ${n}`);
                }

                return as;
            }
        ].map((readAgain) => new ProjectStream(1, 10_000, undefined, readAgain));
        streams.forEach((stream, n) => hub.add(stream, '1', String(n)));
        await until(() => asked.includes('2 7'));
        expect(asked[0]).to.equal('1 null');
        const [stays, gone, away, , late] = streams.map((stream) => (stream.destroyed ? '' : textOf(stream)));
        expect([stays, gone, away, late]).to.equal(['retry\n\n', 'retry\n\nevent: gone\ndata: {}\n\nretry\n\n', 'retry\n\nretry\n\n', 'retry\n\nretry\n\n']);
        hub.close();
    });

    it('goes on after errors, and reports only the first of them', async () => {
        let looks = 0;
        const reports: unknown[] = [];
        const error = new Error('away');
        const hub = hubOver(() => (++looks < 3 ? Promise.reject(error) : Promise.resolve([])), { failing: (one) => void reports.push(one) });
        hub.add(new ProjectStream(1, 10_000), '1', 'a');
        await until(() => looks >= 4);
        expect(reports).to.equal([error, undefined]);
        hub.close();
    });
});
