import { Flows, PUBLIC_URL, Seen, statusOf } from './app-flows';
import type { Scenario } from './scenario';
import { startTwo } from './two-instances';

const KILLS_A_ROUND = 9;
const AUTHORS = 4;

/** People let apps in while instances and sessions of the database are killed. */
export const appKills: Scenario = {
    name: 'apps',
    title: 'SIGKILL of instances and of processes of PostgreSQL while people let apps in',
    run: async (context, outcome) => {
        const { dice, rounds, log } = context;
        const both = await startTwo({ PUBLIC_URL }, context, outcome);
        const { database, services } = both;
        const seen = new Seen();
        let flows = 0;

        for (let round = 1; round <= rounds && seen.findings.length === 0; ++round) {
            await both.killWhile(KILLS_A_ROUND, (isOn) => Array.from({ length: AUTHORS }, async () => {
                const person = new Flows(services, dice.split(), seen);
                for (let n = 0; isOn(); ++n) {
                    // The oldest authorizations of an app end as new ones come, so each account has few.
                    if (n % 8 === 0) {
                        await person.open();
                    }

                    await person.step();
                    flows++;
                }
            }));

            for (const [index, service] of services.entries()) {
                for (const [token, expected] of [...[...seen.working].slice(-50).map((one) => [one, 200] as const), ...[...seen.ended].slice(-200).map((one) => [one, 401] as const)]) {
                    const status = await statusOf(service, token);
                    seen.check(status === expected, `instance ${index}: a token is ${status} in the place of ${expected}`);
                }
            }

            const { rows } = await database.db.raw<{ rows: { id: string }[] }>('select distinct user_id::text as id from authorizations');
            seen.check(rows.every(({ id }) => seen.letIn.has(id)), 'somebody has let an app in who did not');
            const { rows: wrong } = await database.db.raw<{ rows: object[] }>(`
                select t.id from tokens t left join authorizations a on a.id = t.authorization_id and a.user_id = t.user_id and a.app_id = t.app_id
                where t.app_id is not null and (a.id is null or not t.scope <@ a.scope)`);
            seen.check(wrong.length === 0, `${wrong.length} tokens without what somebody allowed`);
            seen.findings.push(...both.faults());
            outcome.checks++;
            log(`round ${round}: ${outcome.kills}; ${flows} times somebody let an app in or refused it; ${seen.acknowledged} answers, ${seen.lost} lost`);
        }

        outcome.acknowledged += seen.acknowledged;
        outcome.lost += seen.lost;
        outcome.notes.push(`${flows} times somebody let an app in or refused it; ${seen.ended.size} tokens had ended`);
        outcome.findings.push(...new Set(seen.findings));
    }
};
