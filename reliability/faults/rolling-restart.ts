import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { freePort } from '../../src/embedded-postgres/server';
import { check } from './check';
import { startDaemon } from './daemon';
import { Database, temporary } from './database';
import { documented } from './documented';
import { Tally } from './journal';
import { Load } from './load';
import type { Scenario } from './scenario';
import { faultsOf } from './scenario';
import { Service } from './service';
import { send } from './wire';
import type { Target } from './wire';

/** Milliseconds, as in docs/operations.md. */
const SHUTDOWN_DELAY = 2000;

/** nginx with the configuration from docs/operations.md, in front of these two ports. Its log has a line for each request. */
async function startNginx(ports: readonly number[]): Promise<{ target: Target; lines: () => string[]; end: () => Promise<void> }> {
    const dir = temporary();
    const port = await freePort(0);
    const [first, second] = ports;
    const site = documented('nginx', { '127.0.0.1:3001': `127.0.0.1:${first}`, '127.0.0.1:3002': `127.0.0.1:${second}`, 'listen 80;': `listen 127.0.0.1:${port};` });
    const temporaries = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${dir}/${name};`);
    const log = join(dir, 'access.log');
    const user = process.getuid?.() === 0 ? 'user root;' : '';
    mkdirSync(join(dir, 'logs'));
    writeFileSync(join(dir, 'nginx.conf'), `
        daemon off; ${user} worker_processes 2; pid ${dir}/pid; error_log ${dir}/error.log;
        events { worker_connections 1024; }
        http {
            ${temporaries.join(' ')}
            log_format told '$request_method $status $upstream_addr';
            access_log ${log} told;
            ${site}
        }`);
    const daemon = await startDaemon('/usr/sbin/nginx', ['-p', dir, '-e', `${dir}/error.log`, '-c', join(dir, 'nginx.conf')], port, 'nginx-light');
    return {
        target: { url: `http://127.0.0.1:${port}`, name: 'nginx', under: new Map(), answered: 0 },
        lines: () => readFileSync(log, 'utf8').split('\n').filter((line) => line !== ''),
        end: () => daemon.end('SIGTERM')
    };
}

/** Two instances behind nginx are restarted in turn, as in docs/operations.md, without any failed request. */
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
        const { target, lines, end } = await startNginx(ports);
        defer(end);
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
        const methods = new Tally();
        lines().forEach((line) => methods.add(line.split(' ')[0] ?? ''));
        const failed = lines().filter((line) => / 5\d\d /.test(line));
        outcome.findings.push(...failed.slice(0, 5).map((line) => `nginx returned ${line}`));
        if (load.journal.lost.total() > 0) {
            outcome.findings.push(`${load.journal.lost.total()} requests failed: ${load.journal.lost}`);
        }

        outcome.notes.push(`${restarts} restarts under ${lines().length} requests (${methods}): ${failed.length + load.journal.lost.total()} failed; nginx sent ${passedTo(ports[0])} to the first and ${passedTo(ports[1])} to the second instance, ` +
            `to both ${lines().filter((line) => line.includes(', ')).length}; slowest start ${slowest.start} ms`);
        outcome.take(load, checked);
    }
};
