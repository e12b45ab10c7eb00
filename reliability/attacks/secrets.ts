import type { Knex } from 'knex';

import { lookUp, textAt } from '../../seeds/calls';
import { launchChromium } from '../../test/support/chromium';
import type { Attack, Run } from './attack';
import { PASSWORD } from './attacker';
import type { Account, Attacker, Project } from './attacker';

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, n) => n);

/** Addresses to return to after signing in, as links on other sites may have them. */
const backs = ['/.//evil.example/', '/x/..//evil.example/', '/%2e//evil.example/', '/./\\evil.example/', '//evil.example/', '/\\evil.example/', '/\t/evil.example/', 'https:evil.example', 'javascript:alert(1)', '/sign-in/..//evil.example'];

/** Signs in from links that lead elsewhere afterwards. */
async function back(attacker: Attacker): Promise<Run> {
    const { username } = await attacker.open();
    const browser = await launchChromium();
    return async () => {
        try {
            for (const path of backs) {
                const context = await browser.newContext({ locale: 'en' });
                const page = await context.newPage();
                const left: string[] = [];
                await context.route((url) => url.hostname !== '127.0.0.1', (route, request) => {
                    left.push(request.url());
                    return route.abort();
                });
                await page.goto(`http://127.0.0.1:${attacker.port}/sign-in?back=${encodeURIComponent(path)}`);
                await page.getByLabel('Username').fill(username);
                await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
                const signedIn = page.waitForResponse((response) => response.url().endsWith('/tokens'));
                await page.getByRole('button', { name: 'Sign in', exact: true }).click();
                await signedIn;
                await page.waitForTimeout(500);
                left.forEach((url) => attacker.achieve(`signing in with back=${path} leads to ${url}`));
                await context.close();
                if (attacker.over) {
                    return;
                }
            }
        }
        finally {
            await browser.close();
        }
    };
}

async function moderatorOf(attacker: Attacker, db: Knex): Promise<Account> {
    const account = await attacker.open();
    await db.raw('update users set moderator = true where id = ?', [account.id]);
    return account;
}

async function privateProject(attacker: Attacker, owner: Account, fields: object = {}): Promise<Project> {
    const project = await attacker.project(owner);
    await attacker.call({ method: 'POST', path: `${project.page}/elements`, headers: owner.headers, body: { type: 'text', attributes: { text: 'a secret of mine' } } });
    await attacker.call({ method: 'PATCH', path: project.path, headers: owner.headers, body: { visibility: 'private', ...fields } });
    return project;
}

/** What a moderator does with what its owner has removed or made private. */
async function moderators(attacker: Attacker, db: Knex): Promise<Run> {
    const [moderator, owner] = [await moderatorOf(attacker, db), await attacker.open()];
    const { headers } = moderator;
    return async () => {
        for (const act of ['restore', 'delete'] as const) {
            const { path } = await attacker.project(owner);
            await attacker.call({ method: 'DELETE', path, headers: owner.headers, body: {} });
            const { json } = await attacker.call({ path: `${owner.path}/trash?count=1`, headers: owner.headers });
            const entry = `${owner.path}/trash/${String(lookUp(json, ['trash', '0', 'id']))}`;
            const { status } = await attacker.call(act === 'restore' ? { method: 'POST', path: `${entry}/restore`, headers, body: {} } : { method: 'DELETE', path: entry, headers, body: {} });
            if (status < 300) {
                attacker.achieve(`a moderator can ${act} what its owner has removed`);
            }
        }

        const secret = await privateProject(attacker, owner);
        const made = await attacker.call({ method: 'POST', path: `${secret.path}/remixes`, headers, body: { visibility: 'public' } });
        if (lookUp(made.json, ['project', 'visibility']) === 'public') {
            attacker.achieve('a moderator can make a public remix of a private project');
        }

        await unnoted(attacker, { moderator, owner });
    };
}

/** A moderator's remix, whose source its owner makes private and changes then. Reading it through the remix has to be noted. */
async function unnoted(attacker: Attacker, { moderator, owner }: { moderator: Account; owner: Account }): Promise<void> {
    const { headers } = moderator;
    const source = await attacker.project(owner);
    const remixed = await attacker.call({ method: 'POST', path: `${source.path}/remixes`, headers, body: {} });
    const remix = `${moderator.path}/projects/${textAt(remixed.json, 'project.id')}`;
    await attacker.call({ method: 'PATCH', path: source.path, headers: owner.headers, body: { visibility: 'private' } });
    await attacker.call({ method: 'POST', path: `${source.page}/elements`, headers: owner.headers, body: { type: 'text', attributes: { text: 'a secret of mine' } } });
    await attacker.call({ path: `${remix}/upstream`, headers });
    await attacker.call({ method: 'POST', path: `${remix}/upstream/pull`, headers, body: {} });
    const [{ json: log }, { json: pages }] = [await attacker.call({ path: '/moderation/log?count=100', headers }), await attacker.call({ path: `${remix}/pages` })];
    const isShown = JSON.stringify(pages).includes('a secret of mine');
    const isNoted = JSON.stringify(log).includes(`"${source.id}"`);
    if (isShown) {
        attacker.achieve('private words stand in a moderator\'s public remix');
    }

    if (!isNoted) {
        attacker.achieve('a moderator reads what its owner made private by way of a remix, and the log does not say so');
    }
}

/** How many times as long, and how many milliseconds longer, a response takes that tells something by its time. */
const [TIMES, MORE] = [2.5, 5];

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

/** Compares the times of 404s: of a private project in which editors save, and of one that never was. */
async function times(attacker: Attacker): Promise<Run> {
    const [owner, stranger] = [await attacker.open(), await attacker.open()];
    const { path, page, id } = await privateProject(attacker, owner);
    // Each may write 600 times a minute.
    const editors = await Promise.all(numbers(10).map(() => attacker.open()));
    for (const { username } of editors) {
        await attacker.call({ method: 'PUT', path: `${path}/members/${username}`, headers: owner.headers, body: { role: 'editor' } });
    }

    const unknown = path.replace(id, '999999999');
    const calls: readonly (readonly [string, string])[] = [['PATCH', ''], ['POST', '/pages'], ['DELETE', ''], ['POST', '/history/1/restore'], ['POST', '/history/2/undo'], ['POST', '/remixes'], ['GET', ''], ['GET', '/pages'], ['GET', '/history']];
    const time = async (method: string, at: string): Promise<number> => {
        const body = { 'PATCH': { title: 'Mine' }, 'POST': at.endsWith('/pages') ? { x: 5, y: 5 } : {}, 'DELETE': {} }[method];
        return (await attacker.call({ method, path: at, headers: stranger.headers, ...body !== undefined && { body } })).ms;
    };

    return async () => {
        let isOver = false;
        const saving = attacker.times(100_000, 20, async (n) => {
            await (isOver || attacker.call({ method: 'PATCH', path: page, headers: editors[n % editors.length]?.headers ?? {}, body: { styles: { text: `${n}`.repeat(2000) } } }));
        });
        for (const [method, rest] of calls) {
            const [known, never]: [number[], number[]] = [[], []];
            for (const _ of numbers(12)) {
                known.push(await time(method, `${path}${rest}`));
                never.push(await time(method, `${unknown}${rest}`));
            }

            if (median(known) > TIMES * median(never) && median(known) > median(never) + MORE) {
                attacker.achieve(`the time of ${method} ${rest || 'the project'} tells that it exists: ${median(known).toFixed(1)} ms, otherwise ${median(never).toFixed(1)}`);
            }
        }

        isOver = true;
        await saving;
    };
}

/** What cursors, headers and kept answers tell about what is private. */
async function traces(attacker: Attacker): Promise<Run> {
    const [owner, stranger] = [await attacker.open(), await attacker.open()];
    const shown = await attacker.project(owner);
    const secret = await privateProject(attacker, owner);
    const last = await attacker.project(owner);
    const { json } = await attacker.call({ method: 'POST', path: `${owner.path}/collections`, headers: owner.headers, body: { title: 'Mixed' } });
    const collection = textAt(json, 'collection.id');
    for (const { id } of [shown, secret, last]) {
        await attacker.call({ method: 'PUT', path: `${owner.path}/collections/${collection}/projects/${id}`, headers: owner.headers, body: {} });
    }

    return async () => {
        const cursor = (id: string): string => Buffer.from(`0.0.${id}`).toString('base64url');
        const [of, otherwise] = [await attacker.call({ path: `/collections/${collection}?after=${cursor(secret.id)}` }), await attacker.call({ path: `/collections/${collection}?after=${cursor('999999999')}` })];
        if (of.status !== otherwise.status || JSON.stringify(lookUp(of.json, ['projects'])) !== JSON.stringify(lookUp(otherwise.json, ['projects']))) {
            attacker.achieve('a forged cursor tells that a private project is in a collection');
        }

        const secrets = [{ path: secret.path }, { path: `${secret.path}/pages` }, { method: 'PATCH', path: secret.path, body: { title: 'Mine' } }];
        for (const call of [...secrets, ...secrets.map((one) => ({ ...one, headers: stranger.headers }))]) {
            const { status, headers } = await attacker.call(call);
            if (!String(headers['cache-control']).includes('private') && !String(headers['cache-control']).includes('no-store') || !/authorization/i.test(String(headers.vary))) {
                attacker.achieve(`${status} of ${call.method ?? 'GET'} of a private project says "${headers['cache-control']}", Vary "${headers.vary}"`);
            }
        }

        await removedMember(attacker, { owner, member: stranger, project: secret });
    };
}

/** Sends again what a member sent, once that is no member any more. */
async function removedMember(attacker: Attacker, { owner, member, project: { path } }: { owner: Account; member: Account; project: Project }): Promise<void> {
    const membership = `${path}/members/${member.username}`;
    await attacker.call({ method: 'PUT', path: membership, headers: owner.headers, body: { role: 'editor' } });
    const save = { method: 'POST', path: `${path}/pages`, headers: { ...member.headers, 'idempotency-key': `the-key-of-${process.pid}-${member.username}` }, body: { x: 70, y: 70 } };
    await attacker.call(save);
    await attacker.call({ method: 'DELETE', path: membership, headers: owner.headers, body: {} });
    const { status } = await attacker.call(save);
    if (status < 300) {
        attacker.achieve('a removed member gets an old answer about a private project');
    }
}

export const secrets: readonly Attack[] = [
    { name: 'back', title: 'links to the page for signing in that lead to another site, in a browser', prepare: back, seconds: 25 },
    { name: 'moderators', title: 'a moderator and what its owner has removed or made private', prepare: moderators, seconds: 10 },
    { name: 'times', short: true, title: 'the times of 404s about a private project in which 20 editors save', prepare: times, seconds: 15 },
    { name: 'traces', title: 'cursors, headers and kept answers that tell of a private project', prepare: traces, seconds: 10 }
];
