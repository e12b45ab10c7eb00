import { setTimeout as sleep } from 'node:timers/promises';

import { startReceiver, verified } from '../../test/support/receiver';
import type { Received } from '../../test/support/receiver';
import type { Scenario } from './scenario';
import { startTwo } from './two-instances';

const KILLS_A_ROUND = 9;
const AUTHORS = 3;

/** Milliseconds until all that happened has arrived after the kills: an instance that died keeps its lease for 20 seconds, and after three attempts that failed nothing is sent for 80. */
const PATIENCE = 180_000;

interface Project {
    url: string;
    id: string;
    token: string;
    /** the newest that was acknowledged */
    revision: number;
}

/** What is read of answers. */
interface Answer {
    token?: { access_token: string };
    secret?: string;
    project?: { id: string; user_id: string; revision: number };
}

interface Message {
    type: string;
    data: { project: { id: string; revision: number }; from_revision?: number };
}

/** Programs are told what happens to projects while instances, one of them behind PgBouncer, and sessions of the database are killed: nothing is lost, and all is in order. */
export const webhookKills: Scenario = {
    name: 'webhooks',
    title: 'SIGKILL of instances and of processes of PostgreSQL while webhooks are sent',
    run: async (context, outcome) => {
        const { dice, rounds, log, defer } = context;
        const receiver = await startReceiver();
        defer(() => Promise.resolve(receiver.stop()));
        const both = await startTwo({ WEBHOOKS_TO: '127.0.0.0/8' }, context, outcome, true);
        const { services } = both;

        /** The answer of some instance; nothing is in it if none came, or an error. */
        const ask = async (method: string, path: string, token: string | null, body: object): Promise<Answer> => {
            const { url } = dice.pick(services.filter((one) => one.url !== null)) ?? { url: null };
            try {
                const response = await fetch(`${url}${path}`, { method, headers: { 'content-type': 'application/json', ...token !== null && { authorization: `token ${token}` } }, body: JSON.stringify(body), signal: AbortSignal.timeout(10_000) });
                const answer: Answer = await response.json();
                if (response.status === 500) {
                    outcome.findings.push(`${method} ${path}: 500`);
                }

                outcome[response.ok ? 'acknowledged' : 'lost']++;
                return response.ok ? answer : {};
            }
            catch {
                outcome.lost++;
                await sleep(20);
                return {};
            }
        };

        const projects: Project[] = [];
        const secrets: string[] = [];

        const isSigned = (one: Received): boolean => secrets.some((secret) => {
            try {
                return verified(one, secret) !== undefined;
            }
            catch {
                return false;
            }
        });

        receiver.answer = (response, one) => {
            // Now, as a signature is only good for some minutes.
            if (!isSigned(one)) {
                outcome.findings.push(`${String(one.headers['webhook-id'])} is not signed`);
            }

            setTimeout(() => response.writeHead(dice.chance(0.05) ? 503 : 204).end(), dice.between(0, 30));
        };

        for (let n = 0; n < AUTHORS; ++n) {
            const account = { username: `author-${n}`, password: 'correct horse battery' };
            await ask('POST', '/users', null, account);
            const { token: { access_token: token } = { access_token: '' } } = await ask('POST', '/tokens', null, account);
            const { secret } = await ask('POST', '/users/me/webhooks', token, { url: receiver.url, events: ['project.created', 'project.changed'] });
            secrets.push(String(secret));
            for (let m = 0; m < 2; ++m) {
                const { project = { id: '', user_id: '', revision: 0 } } = await ask('POST', '/users/me/projects', token, { title: 'A project' });
                projects.push({ url: `/users/${project.user_id}/projects/${project.id}`, id: project.id, token, revision: project.revision });
            }
        }

        const seen = new Map<string, string>();
        const last = new Map<string, number>();
        let [checked, repeated] = [0, 0];
        const check = (): void => {
            for (const one of receiver.received.slice(checked)) {
                checked++;
                const id = String(one.headers['webhook-id']);
                const before = seen.get(id);
                if (before !== undefined) {
                    repeated++;
                    if (before !== one.body) {
                        outcome.findings.push(`${id} was sent with two bodies: ${before} and ${one.body}`);
                    }

                    continue;
                }

                seen.set(id, one.body);
                const { data: { project, from_revision: from } }: Message = JSON.parse(one.body);
                if (last.get(project.id) !== from) {
                    outcome.findings.push(`${id} goes on from revision ${from} of project ${project.id}, and the message before ended at ${last.get(project.id)}`);
                }

                last.set(project.id, project.revision);
            }
        };

        for (let round = 1; round <= rounds && outcome.findings.length === 0; ++round) {
            await both.killWhile(KILLS_A_ROUND, (isOn) => projects.map(async (project) => {
                for (let n = 0; isOn(); ++n) {
                    const { project: changed } = await ask('PATCH', project.url, project.token, { title: `Title ${round}.${n}` });
                    project.revision = Math.max(project.revision, changed?.revision ?? 0);
                    await sleep(dice.between(0, 60));
                }
            }));
            const deadline = Date.now() + PATIENCE;
            do {
                await sleep(100);
                check();
            } while (Date.now() < deadline && projects.some(({ id, revision }) => Number(last.get(id)) < revision));

            projects.filter(({ id, revision }) => Number(last.get(id)) < revision).forEach(({ id, revision }) => outcome.findings.push(`project ${id} is at revision ${revision}, and the last message told of ${last.get(id)}`));
            outcome.findings.push(...both.faults());
            outcome.checks++;
            log(`round ${round}: ${outcome.kills}; ${seen.size} messages, ${repeated} of them more than once; ${outcome.acknowledged} answers, ${outcome.lost} lost`);
        }

        outcome.notes.push(`${seen.size} messages arrived, ${repeated} more than once`);
    }
};
