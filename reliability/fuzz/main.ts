import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';

import { startTestServer } from '../../test/support/server';
import { out } from '../program';
import { Fuzz } from './fuzz';
import type { Finding } from './fuzz';
import type { Sent } from './requests';

const quote = (text: string): string => `'${text.replaceAll('\'', '\'\\\'\'')}'`;

/** A request as a curl command. */
function curl({ method, url, headers, payload }: Sent): string {
    const named = Object.entries(headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`);
    const body = payload === undefined ? [] : [`--data-binary ${quote(payload.length > 5000 ? `${payload.toString().slice(0, 5000)}…(${payload.length} bytes)` : payload.toString())}`];
    return ['curl -X', method, quote(`$API${url}`), ...named, ...body].join(' ');
}

function tell({ seed, fault, requests }: Finding): void {
    out(`\nFound: ${fault}\n\nThe last of these shows it:`);
    requests.forEach((request) => out(curl(request)));
    out(`\nAgain: npm run fuzz -- --seed ${seed} --runs 1`);
}

/**
 * Operations that cannot succeed here, as they need what a test's server has not: a key from a mail (`confirmAddress`, `makePassword`), another
 * provider (`addIdentity` and those of `SignIn`), or an authenticator (`addPasskey`).
 */
const unreachable = new Set(['addIdentity', 'addPasskey', 'beginSignIn', 'confirmAddress', 'endSignIn', 'finishSignIn', 'makePassword', 'renewSignIn']);

/** Requests with which each of the others succeeds. */
const ENOUGH = 20_000;

/** `npm run fuzz -- --seed N --runs N`: exits with 1 if a failure is found, or if an operation never succeeded in so many requests. */
async function main(): Promise<void> {
    const { values } = parseArgs({ options: { seed: { type: 'string', default: String(randomInt(2 ** 31)) }, runs: { type: 'string', default: '20000' } } });
    const [seed, runs] = [Number(values.seed), Number(values.runs)];
    out(`seed ${seed}`);
    const server = await startTestServer();
    try {
        const started = Date.now();
        const { sent, statuses, done, finding } = await (await Fuzz.create(server)).run(seed, runs);
        const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${count} × ${status}`);
        out(`${sent} requests in ${Math.round((Date.now() - started) / 1000)} s: ${counts.join(', ')}`);
        out(`done: ${[...done].filter(([, count]) => count > 0).sort(([, a], [, b]) => a - b).map(([operation, count]) => `${count} × ${operation}`).join(', ')}`);
        const missed = [...done].filter(([operation, count]) => count === 0 && !unreachable.has(operation)).map(([operation]) => operation);
        out(`never successful: ${missed.join(', ') || 'none'}`);
        if (missed.length > 0 && sent >= ENOUGH) {
            process.exitCode = 1;
        }

        if (finding !== undefined) {
            tell(finding);
            process.exitCode = 1;
        }
    }
    finally {
        await server.stop();
    }
}

// `process.exit` is needed, because the embedded PostgreSQL would keep this process alive.
void main().catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    process.exitCode = 1;
}).finally(() => process.exit());
