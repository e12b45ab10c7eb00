/**
 * Creates the demo community on a running server, over HTTP:
 *
 *     npm run build && node dist/examples/community.js [--feature]
 *
 * PAGEWRIGHT_URL       where the server is (http://127.0.0.1:3000)
 * PAGEWRIGHT_PASSWORD  one password for every account (a random one each)
 * --feature            also feature projects and make a class: waits while an operator makes the curator a moderator, and somebody a teacher
 */
import { setTimeout as wait } from 'node:timers/promises';

import { RefusedCall, moderator, people, seed } from '../seeds';

import type { Account, Send } from '../seeds';

const base = (process.env.PAGEWRIGHT_URL ?? 'http://127.0.0.1:3000').replace(/\/+$/, '');
const patience = 10 * 60;           // Seconds to wait for a moderator, or for a rate limit to pass
const usage = 'usage: [PAGEWRIGHT_URL=…] [PAGEWRIGHT_PASSWORD=…] node dist/examples/community.js [--feature]';

const send: Send = async function (method, path, body, token, file) {
    const response = await fetch(base + path, {
        method,
        headers: { ...(token ? { Authorization: `Bearer ${token}` } : {}), ...(file !== undefined ? { 'Content-Type': file.type } : body === undefined ? {} : { 'Content-Type': 'application/json' }) },
        body: file !== undefined ? new Uint8Array(file.bytes) : body === undefined ? undefined : JSON.stringify(body)
    });
    const pause = Number(response.headers.get('Retry-After'));
    if (response.status === 429 && pause > 0 && pause <= patience) {
        console.error(`${method} ${path}: too many requests, continuing in ${pause} s …`);
        await wait(pause * 1000);
        return send(method, path, body, token, file);
    }

    const answer = await response.text();
    try {
        return { status: response.status, body: answer === '' ? null : JSON.parse(answer) as unknown };
    }
    catch {
        throw new Error(`${method} ${base}${path} returned ${response.status} without JSON: is this a Pagewright server?`);
    }
};

const waitForPermission = async function (username: string, { id, token }: Account, permission: 'moderator' | 'teacher'): Promise<void> {
    console.log(`Waiting for ${username} to become a ${permission}. In the server's folder, run:\n\n    npm run admin -- grant ${username} ${permission}\n`);
    const deadline = Date.now() + patience * 1000;
    while (Date.now() < deadline) {
        const { body } = await send('GET', `/users/${id}`, undefined, token);
        if (JSON.stringify(body).includes(`"${permission}":true`)) {
            return;
        }

        await wait(2000);
    }

    throw new Error(`${username} was not made a ${permission} within ${patience / 60} minutes. Everything that needs no ${permission} is done.`);
};

const main = async function (args: string[]): Promise<number> {
    if (args.some((arg) => arg !== '--feature')) {
        console.error(usage);
        return args.includes('--help') ? 0 : 1;
    }

    const feature = args.includes('--feature');
    const report = await seed(send, { password: process.env.PAGEWRIGHT_PASSWORD, grant: feature ? waitForPermission : undefined });

    console.log(`Made on ${base}: ${report.projects} projects (${report.remixes} of them remixes), ${report.pages} pages, ${report.elements} elements, by\n`);
    for (const { username, password } of report.users) {
        console.log(`    ${username.padEnd(12)}${password}`);
    }

    console.log(feature ?
        `\n${report.featured} projects are featured: ${base}/discover` :
        `\nNo project is featured, because only a moderator can do that. "npm run admin -- grant ${moderator} moderator" makes ${moderator} one,\nwho can then PATCH …/feature. On an empty server, --feature does all of it.`);
    return 0;
};

main(process.argv.slice(2)).then((code) => {
    process.exitCode = code;
}, (error: unknown) => {
    if (error instanceof RefusedCall && error.code === 'username_taken') {
        console.error(`The demo community is on ${base} already, or somebody has one of its names (${people.map(({ username }) => username).join(', ')}).`);
        console.error('To create it again, start with an empty database (a new .data/ folder), then run this again.');
    }
    else {
        const unreachable = error instanceof TypeError && error.message === 'fetch failed';
        console.error(unreachable ? `No response from ${base}: start the server (npm start), or set PAGEWRIGHT_URL.` : String(error instanceof Error ? error.message : error));
    }

    process.exitCode = 1;
});
