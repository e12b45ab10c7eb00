import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { moveNotices } from '../../../src/community/notices/outbox';
import { openAuthor } from '../../support/authoring';
import type { Author, MadeProject } from '../../support/authoring';
import { Dice } from '../../support/dice';
import { startTestServer } from '../../support/server';
import type { Answer, TestServer } from '../../support/server';

/** Reads and writes that are allowed, and that are refused; continuous integration runs more. */
const REVOCATIONS = Number(process.env.REVOCATIONS ?? 30);

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const TITLE = 'The pond of secrets';

describe('with two instances, what was said', () => {
    let servers: readonly [TestServer, TestServer];
    let ada: Author;
    let ben: Author;
    let eve: Author;
    let mod: Author;
    let project: MadeProject;

    before(async () => {
        const one = await startTestServer();
        servers = [one, await startTestServer({ database: one.database })];
        [ada, ben, eve] = await Promise.all([openAuthor(one, 'ada'), openAuthor(one, 'ben'), openAuthor(one, 'eve')]);
        mod = await openAuthor(one, 'mod', { moderator: true });
        project = await ada.project({ title: TITLE });
        await ada.call('PUT', `${project.url}/members/ben`, { role: 'viewer' });
        await eve.call('PUT', '/users/me/following/ada');
    });

    after(async () => {
        await servers[1].server.stop();
        await servers[0].stop();
    });

    it('is not read, told or answered after blocks, holds, settings, roles and visibilities that were acknowledged', { timeout: 300_000 + REVOCATIONS * 1000 }, async () => {
        const seed = Number(process.env.SEED ?? Date.now() % 1e6);
        const dice = new Dice(seed);
        const pick = <Thing>(own: Dice, ...things: [Thing, ...Thing[]]): Thing => own.pick(things) ?? things[0];
        const comments = `${project.url}/comments`;
        const state = { visibility: 'public', held: false, member: false, who: 'everybody', adaBlocksEve: false, eveBlocksBen: false, secret: '', isShown: false };
        /** even while nothing changes */
        let epoch = 0;
        let done = false;
        const outcomes = { allowed: 0, refused: 0, told: 0, unsure: 0 };
        const succeeds = async (call: Promise<Answer>): Promise<Answer> => {
            const answer = await call;
            expect(answer.status, `seed ${seed}: ${answer.text.slice(0, 200)}`).to.be.below(300);
            return answer;
        };

        let comment = '';
        let said = 0;
        const say = async (): Promise<void> => {
            const secret = `secret-${++said}`;
            const { body } = await succeeds(ben.call('POST', comments, { text: `${secret}, @eve` }));
            comment = body.comment.id;
            Object.assign(state, { secret, isShown: true });
        };

        const changes: Readonly<Record<string, () => Promise<void>>> = {
            visibility: async () => {
                const visibility = pick(dice, 'public', 'unlisted', 'private', 'private');
                await succeeds(ada.call('PATCH', project.url, { visibility }));
                state.visibility = visibility;
            },
            held: async () => {
                await succeeds(mod.call(state.held ? 'DELETE' : 'PUT', `/moderation/projects/${project.id}/hold`, state.held ? {} : { reason: 'A look' }));
                state.held = !state.held;
            },
            member: async () => {
                await succeeds(ada.call(state.member ? 'DELETE' : 'PUT', `${project.url}/members/eve`, state.member ? undefined : { role: 'viewer' }));
                state.member = !state.member;
            },
            who: async () => {
                const who = pick(dice, 'everybody', 'everybody', 'members', 'nobody');
                await succeeds(ada.call('PUT', `${comments}/settings`, { who }));
                state.who = who;
            },
            adaBlocksEve: async () => {
                await succeeds(ada.call(state.adaBlocksEve ? 'DELETE' : 'PUT', '/users/me/blocks/eve'));
                state.adaBlocksEve = !state.adaBlocksEve;
            },
            eveBlocksBen: async () => {
                await succeeds(eve.call(state.eveBlocksBen ? 'DELETE' : 'PUT', '/users/me/blocks/ben'));
                state.eveBlocksBen = !state.eveBlocksBen;
            },
            removed: async () => {
                if (state.isShown && said < 50) {
                    await succeeds((state.held ? mod : pick(dice, mod, ben)).call('DELETE', `${comments}/${comment}`));
                    state.isShown = false;
                }
            },
            said: async () => {
                const isOpen = state.who !== 'nobody' && !state.held;
                await (!state.isShown && isOpen ? say() : Promise.resolve());
            }
        };
        await say();

        const isReadable = (who: 'guest' | 'eve'): boolean => !state.held && (state.visibility !== 'private' || (who === 'eve' && state.member));
        const mayAnswer = (): boolean => isReadable('eve') && !state.adaBlocksEve && (state.who === 'everybody' || (state.who === 'members' && state.member));
        let answers = 0;

        /** What somebody does, and what is then wrong: null for nothing. */
        const acts: readonly ((own: Dice, server: TestServer) => Promise<() => string | null>)[] = [
            async (own, server) => {
                const who = pick<'guest' | 'eve'>(own, 'guest', 'eve', 'eve');
                const url = `${comments}?count=100`;
                const { status, text } = await server.call('GET', url, undefined, { token: who === 'eve' ? eve.token : undefined });
                return () => {
                    const isShown = text.includes(`${state.secret},`);
                    const expected = isReadable(who) && state.isShown && !(who === 'eve' && state.eveBlocksBen);
                    ++outcomes[isShown ? 'allowed' : 'refused'];
                    return (status === 200) === isReadable(who) && isShown === expected ? null : `GET ${url} as ${who}: ${status} ${text.slice(0, 400)}`;
                };
            },
            async (_own, server) => {
                const { status, text } = await server.call('GET', '/users/me/notices', undefined, { token: eve.token });
                return () => {
                    outcomes.told += Number(text.includes(TITLE));
                    const isLeak = (!isReadable('eve') && text.includes(TITLE)) || (state.eveBlocksBen && text.includes('"ben"'));
                    return status === 200 && !isLeak ? null : `notices: ${status} ${text.slice(0, 400)}`;
                };
            },
            async (_own, server) => {
                const { status, text } = await server.call('GET', '/users/me/feed', undefined, { token: eve.token });
                return () => (status === 200 && (text.includes(TITLE) === false || (state.visibility === 'public' && !state.held)) ? null : `feed: ${status} ${text.slice(0, 400)}`);
            },
            async (_own, server) => {
                if (answers > 40) {
                    return () => null;
                }

                ++answers;
                const { status, body } = await server.call('POST', comments, { text: 'An answer' }, { token: eve.token });
                return () => {
                    const expected = !isReadable('eve') ? '404' : mayAnswer() ? '201' : '403 comments_closed';
                    return `${status}${status === 403 ? ` ${body.code}` : ''}` === expected ? null : `an answer: ${status} ${body.code}, not ${expected}`;
                };
            }
        ];

        const actors = Array.from({ length: 5 }, async (_one, n) => {
            for (const own = new Dice(seed + n + 1); !done;) {
                const began = epoch;
                const wrong = await (own.pick(acts) ?? acts[0])?.(own, own.pick(servers) ?? servers[0]);
                if (began % 2 === 1 || epoch !== began) {
                    ++outcomes.unsure;
                }
                else {
                    expect(wrong?.() ?? null, `seed ${seed}: ${JSON.stringify(state)}`).to.be.null();
                }
            }
        });
        const changing = (async () => {
            for (let n = 0; n < Math.min(150, REVOCATIONS) || (Math.min(outcomes.allowed, outcomes.refused, outcomes.told) < REVOCATIONS && n < 20 * REVOCATIONS); ++n) {
                ++epoch;
                await changes[dice.pick(Object.keys(changes)) ?? 'said']?.();
                ++epoch;
                await moveNotices(servers[0].database.db, false, new AbortController().signal);
                await sleep(pick(dice, 0, 20, 50, 100));
            }
        })().finally(() => {
            done = true;
        });
        await Promise.all([changing, ...actors]);
        expect(Math.min(outcomes.allowed, outcomes.refused, outcomes.told)).to.be.at.least(REVOCATIONS);
        expect(servers.flatMap(({ faults }) => faults)).to.equal([]);
    });
});
