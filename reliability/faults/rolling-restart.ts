import { setTimeout as sleep } from 'node:timers/promises';

import { freePort } from '../../src/database/embedded/server';
import { check } from './check';
import { Database, temporary } from './database';
import { Tally } from './journal';
import { Load } from './load';
import { startNginx } from '../daemons/nginx';
import type { Scenario } from './scenario';
import { faultsOf } from './scenario';
import { Service } from './service';
import { send } from './wire';
import type { Target } from './wire';

/** Milliseconds, as in docs/deploy.md. */
const SHUTDOWN_DELAY = 2000;

/** Requests at once, several times what nginx sends to two instances. */
const MANY = 2000;

/** A browser's question whether a page of another origin may send a request. */
const preflight = { method: 'OPTIONS', path: '/users/1/projects', headers: { 'origin': 'http://editor.example', 'access-control-request-method': 'POST' } };

/** What is wrong with the responses to so many requests, each tenth a preflight: nginx has to reject some of them as the service does, but no preflight, and send on all others. */
async function tooMany(target: Target): Promise<string[]> {
    const answers = await Promise.all(Array.from({ length: MANY }, async (_one, n) => {
        const isPreflight = n % 10 === 0;
        const answer = await send(target, 'many', isPreflight ? preflight : { method: 'GET', path: '/discover' });
        const isRejected = answer?.status === 503 && answer.body.code === 'overloaded' && ['1', '2', '3'].includes(String(answer.retryAfter));
        return { answer, isRejected, isRight: answer !== null && answer.status < 300 || isRejected && !isPreflight };
    }));
    const rejected = answers.filter(({ isRejected }) => isRejected).length;
    return [
        ...rejected === 0 ? [`nginx rejected none of ${MANY} requests`] : [],
        ...rejected >= MANY * 0.9 ? [`nginx rejected ${rejected} of ${MANY} requests`] : [],
        ...answers.filter(({ isRight }) => !isRight).slice(0, 5).map(({ answer }) => `of ${MANY} requests one got ${answer?.status} ${JSON.stringify(answer?.body)}`)
    ];
}

/** Two instances behind nginx are restarted in turn, as in docs/deploy.md, without any failed request. */
export const rollingRestart: Scenario = {
    name: 'rolling',
    title: 'Rolling restart of two instances behind nginx',
    run: async ({ dice, rounds, log, defer }, outcome) => {
        const database = new Database();
        defer(() => database.end());
        await database.up();
        const ports = [await freePort(0), await freePort(0)];
        const services = ports.map((port) => new Service((name) => ({
            DATABASE_URL: database.url(name), DATABASE_POOL: '8', PORT: String(port), SHUTDOWN_DELAY: String(SHUTDOWN_DELAY), TRUSTED_PROXIES: '1'
        })));
        defer(() => Promise.all(services.map((service) => service.kill())));
        await Promise.all(services.map((service) => service.start()));
        const { url, lines, end } = await startNginx(ports, temporary());
        defer(end);
        const target = { url, name: 'nginx', under: new Map<string, number>(), answered: 0 };
        const passedTo = (port: number | undefined): number => lines().filter((line) => line.endsWith(`:${port}`)).length;
        // Without keys: nginx must not repeat writes, so each must succeed the first time.
        const load = await Load.open({ targets: [target], dice: dice.split(), keyed: 0, over: () => Promise.resolve() });
        const slowest = { start: 0 };

        const restart = async (service: Service, port: number | undefined): Promise<void> => {
            service.child?.kill('SIGTERM');
            for (let asked = 0; asked < 20; ++asked) {
                await send(target, 'ready', { method: 'GET', path: '/ready' });
                await sleep(50);
            }

            outcome.kills.add('orderly ends', 1);
            await service.ended;
            const from = Date.now();
            await service.start();
            slowest.start = Math.max(slowest.start, Date.now() - from);
            const before = passedTo(port);
            for (const deadline = Date.now() + 15_000; passedTo(port) < before + 10;) {
                if (Date.now() > deadline) {
                    throw new Error('nginx does not use the restarted instance');
                }

                await sleep(100);
            }
        };

        const restarts = Math.max(2, rounds);
        await load.during(async () => {
            await sleep(1000);
            for (let n = 0; n < restarts && load.journal.lost.total() === 0; ++n) {
                const [service, port] = [services[n % 2], ports[n % 2]];
                if (service !== undefined) {
                    await restart(service, port);
                }

                log(`restart ${n + 1}: ${lines().length} requests, ${load.journal.lost.total()} failed`);
            }

            await sleep(1000);
        });
        const checked = await check(load, database.db);
        outcome.checks++;
        faultsOf(services, load.journal);
        const requests = lines();
        outcome.findings.push(...await tooMany(target));
        const methods = new Tally();
        requests.forEach((line) => methods.add(line.split(' ')[0] ?? ''));
        const failed = requests.filter((line) => / 5\d\d /.test(line));
        outcome.findings.push(...failed.slice(0, 5).map((line) => `nginx returned ${line}`));
        if (load.journal.lost.total() > 0) {
            outcome.findings.push(`${load.journal.lost.total()} requests failed: ${load.journal.lost}`);
        }

        outcome.notes.push(`${restarts} restarts under ${requests.length} requests (${methods}): ${failed.length + load.journal.lost.total()} failed; nginx sent ${passedTo(ports[0])} to the first and ${passedTo(ports[1])} to the second instance, ` +
            `to both ${requests.filter((line) => line.includes(', ')).length}; slowest start ${slowest.start} ms`);
        outcome.take(load, checked);
    }
};
