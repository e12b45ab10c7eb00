import { restoreClass } from '../../src/operations/cli/classes';
import type { Dice } from '../../test/support/dice';
import { AnyInstance } from './caller';
import type { Database } from './database';
import type { Outcome, Scenario } from './scenario';
import { startTwo } from './two-instances';
import type { TwoInstances } from './two-instances';
import type { Answer, Call } from './wire';

const KILLS_A_ROUND = 12;
const TEACHERS = 3;
const PUPILS = 4;

/** Steps of one class, after which its year ends. */
const STEPS_A_YEAR = 25;

interface Pupil {
    id: string;
    username: string;
    passphrase: string;
    token: string;
    work: string;
    project: string;
    /** what the work may be: several if an answer was lost */
    states: Set<string>;
    /** the point that was handed in last, and what was there then */
    point?: { revision: number; seen: string };
}

/** A point without its author, whose account may have been closed and restored since. */
function pointOf({ body: { project, ...rest } }: Answer): string {
    return JSON.stringify({ ...rest, request_id: undefined, project: { ...project, author: undefined } });
}

/** What of the database is half. Each statement finds nothing if all is whole. */
const halves: readonly (readonly [what: string, sql: string])[] = [
    ['accounts that are closed and whose class is not, or the other way round', 'select u.id from users u join classes c on c.id = u.managed_by where (u.deleted_at is null) <> (c.deleted_at is null)'],
    ['works that are handed in without a time, or the other way round', `select w.id from works w where (w.handed_in_at is null) <> (w.state = 'started')`],
    ['points that are handed in and have no name', 'select w.id from works w cross join unnest(w.points) as h (at) left join project_changes c on c.project_id = w.project_id and c.revision = h.at where c.label is null'],
    ['projects that are in a class that was deleted', 'select a.project_id from class_projects a join classes c on c.id = a.class_id where c.deleted_at is not null'],
    ['projects of closed accounts that are not', 'select p.id from projects p join users u on u.id = p.user_id where u.deleted_at is not null and p.deleted_at is null']
];

/** A teacher with a class, whose pupils hand in and take back, and whose year ends now and then. */
class School {
    readonly #any: AnyInstance;
    readonly #database: Database;
    readonly #dice: Dice;
    readonly #outcome: Outcome;
    #token = '';
    #class = '';
    #works = '';
    #pupils: Pupil[] = [];
    #serial = 0;
    #left = 0;
    handedIn = 0;
    years = 0;

    constructor({ database, services }: TwoInstances, dice: Dice, outcome: Outcome) {
        this.#any = new AnyInstance(services, dice, outcome, 'class');
        this.#database = database;
        this.#dice = dice;
        this.#outcome = outcome;
    }

    /** As the teacher, until it is answered. */
    #must(method: string, path: string, body?: object, key?: string): Promise<Answer> {
        return this.#any.must({ method, path, body, token: this.#token, ...key !== undefined && { key } });
    }

    #key(what: string): string {
        return `the-key-of-${what}-${this.#token.slice(0, 8)}-${++this.#serial}`;
    }

    #signIn(username: string, password: string): Promise<Answer> {
        return this.#any.must({ method: 'POST', path: '/tokens', body: { username, password } });
    }

    async open(name: string): Promise<void> {
        const { body: { token } } = await this.#any.must({ method: 'POST', path: '/users', body: { username: name, password: 'correct horse battery' }, key: `the-key-of-${name}` });
        this.#token = token.access_token;
    }

    async #begin(): Promise<void> {
        const { body: { class: { id } } } = await this.#must('POST', '/users/me/classes', { title: 'Year 5' }, this.#key('a-class'));
        this.#class = `/classes/${id}`;
        const { body: { assignment } } = await this.#must('POST', `${this.#class}/assignments`, { title: 'A story' }, this.#key('an-assignment'));
        this.#works = `${this.#class}/assignments/${assignment.id}/work`;
        const { body: { pupils } } = await this.#must('POST', `${this.#class}/pupils`, { names: Array.from({ length: PUPILS }, (_name, n) => `Pupil ${n}`) }, this.#key('a-list'));
        this.#pupils = [];
        for (const { user: { id: user, username }, passphrase } of pupils) {
            const { body: { token: { access_token: token } } } = await this.#signIn(username, passphrase);
            const { body: { work } } = await this.#any.must({ method: 'POST', path: this.#works, body: {}, token });
            this.#pupils.push({ id: user, username, passphrase, token, work: `${this.#works}/${work.id}`, project: `/users/${user}/projects/${work.project_id}`, states: new Set(['started']) });
        }

        this.#left = STEPS_A_YEAR;
    }

    /** One step of somebody. */
    async step(): Promise<void> {
        if (this.#class === '') {
            await this.#begin();
        }

        if (this.#left-- === 0) {
            await this.#endYear();
            return;
        }

        const pupil = this.#dice.pick(this.#pupils);
        if (pupil === undefined) {
            return;
        }

        const by = (method: string, path: string, body: object, token = pupil.token): Call => ({ method, path, body, token });
        switch (this.#dice.weighted({ write: 3, handIn: 4, takeBack: 2, giveBack: 2 })) {
            case 'write':
                await this.#any.ask(by('PATCH', pupil.project, { title: `Title ${++this.#serial}` }));
                break;
            case 'handIn':
                await this.#handIn(pupil, by('PATCH', pupil.work, { state: 'handed_in' }));
                break;
            case 'takeBack':
                await this.#change(pupil, by('PATCH', pupil.work, { state: 'started' }), 'started');
                break;
            default:
                await this.#change(pupil, by('PATCH', pupil.work, { state: 'returned', note: 'More' }, this.#token), 'returned');
        }
    }

    /** Hands in: until it is answered, or once. */
    async #handIn(pupil: Pupil, call: Call): Promise<void> {
        if (this.#dice.chance(0.3) && await this.#any.ask(call) === undefined) {
            pupil.states.add('handed_in');
        }

        const { status, body } = await this.#any.must(call);
        // What was handed in before, and not returned, stays as it was.
        if (status === 409) {
            this.#any.check(body.code === 'handed_in' && pupil.states.has('handed_in'), `handing in is ${status} ${JSON.stringify(body)} with ${[...pupil.states]}`);
            pupil.states = new Set(['handed_in']);
            return;
        }

        this.#any.check(status === 200 && body.work.state === 'handed_in', `handing in is ${status} ${JSON.stringify(body)}`);
        const revision: number = body.work.point;
        const seen = pointOf(await this.#any.must({ method: 'GET', path: `${pupil.project}/history/${revision}`, token: pupil.token }));
        pupil.states = new Set(['handed_in']);
        pupil.point = { revision, seen };
        this.handedIn++;
    }

    /** Changes a work until that is answered. */
    async #change(pupil: Pupil, call: Call, state: 'started' | 'returned'): Promise<void> {
        const { status, body } = await this.#any.must(call);
        const allowed = state === 'started' ? ['started', 'handed_in'] : ['handed_in', 'returned'];
        this.#any.check(status === 200 || status === 409, `${state} is ${status} ${JSON.stringify(body)}`);
        if (status === 200) {
            this.#any.check([...pupil.states].some((each) => allowed.includes(each)), `${state} is 200 after ${[...pupil.states]}`);
            pupil.states = new Set([state]);
            if (state === 'started') {
                delete pupil.point;
            }
        }
        else {
            this.#any.check(![...pupil.states].every((each) => allowed.includes(each)), `${state} is 409 ${body.code} after ${[...pupil.states]}`);
        }
    }

    /** Each work is what was acknowledged, and the teacher reads the point that was handed in as its pupil saw it. */
    async look(): Promise<void> {
        if (this.#class === '') {
            return;
        }

        const { body } = await this.#must('GET', this.#works);
        for (const { id, states, point, project } of this.#pupils) {
            const found: { work: { state: string; point: number | null } } | undefined = body.works?.find(({ work }: { work: { user_id: string } | null }) => work?.user_id === id);
            this.#any.check(found !== undefined && states.has(found.work.state), `a work is ${JSON.stringify(found?.work)}, and not ${[...states]}`);
            if (point !== undefined) {
                const answer = await this.#must('GET', `${project}/history/${point.revision}`);
                this.#any.check(answer.status === 200 && pointOf(answer) === point.seen, `what was handed in at ${point.revision} is ${answer.status} ${answer.bytes.toString().slice(0, 200)}`);
            }
        }

        this.#outcome.checks++;
    }

    /** Deletes the class with its accounts: all of it, or nothing. An operator brings some of them back, as they were. */
    async #endYear(): Promise<void> {
        await this.look();
        const isKnown = this.#dice.chance(0.7);
        const call: Call = { method: 'DELETE', path: `${this.#class}?accounts=remove`, body: {}, token: this.#token };
        const answer = isKnown ? await this.#any.must(call) : await this.#any.ask(call);
        const { status } = await this.#must('GET', this.#class);
        // After a lost answer, the next try finds no class.
        this.#any.check(answer === undefined || answer.status === 200 || (isKnown && answer.status === 404), `the end of a year is ${answer?.status}`);
        this.#any.check(status === 404 || (status === 200 && answer === undefined), `a class is ${status} after its end was ${answer?.status}`);
        const signIns: number[] = [];
        for (const { username, passphrase } of this.#pupils) {
            signIns.push((await this.#signIn(username, passphrase)).status);
        }

        // A commit that was on its way when its instance was killed may have come in between.
        const isSame = (await this.#must('GET', this.#class)).status === status;
        this.#any.check(!isSame || signIns.every((each) => each === (status === 404 ? 401 : 201)), `pupils sign in with ${signIns}, and their class is ${status}`);

        if (status === 404 && this.#dice.chance(0.5)) {
            const restored = await restoreClass(this.#database.db, String(this.#class.split('/').at(-1))).catch(() => undefined);
            // The session that restores it may be killed, too.
            if (restored !== undefined) {
                this.#any.check(restored.accounts === PUPILS, `${restored.accounts} accounts came back`);
                await this.look();
            }
        }

        this.#class = '';
        this.years++;
    }
}

/** Pupils hand in, and years end, while instances and sessions of the database are killed: nothing is half, and nothing that was acknowledged is lost. */
export const classKills: Scenario = {
    name: 'classes',
    title: 'SIGKILL of instances and of processes of PostgreSQL while pupils hand in, and while a year ends',
    run: async (context, outcome) => {
        const { dice, rounds, log } = context;
        const both = await startTwo({ TEACHERS: 'open', RATE_LIMIT: 'off' }, context, outcome);
        const schools = Array.from({ length: TEACHERS }, () => new School(both, dice.split(), outcome));
        await Promise.all(schools.map((school, n) => school.open(`teacher-${n}`)));
        const sum = (of: (school: School) => number): number => schools.reduce((total, school) => total + of(school), 0);

        for (let round = 1; round <= rounds && outcome.findings.length === 0; ++round) {
            await both.killWhile(KILLS_A_ROUND, (isOn) => schools.map(async (school) => {
                while (isOn()) {
                    await school.step();
                }
            }));
            await Promise.all(schools.map((school) => school.look()));
            for (const [what, sql] of halves) {
                const { rows } = await both.database.db.raw<{ rows: object[] }>(sql);
                outcome.findings.push(...rows.length === 0 ? [] : [`there are ${what}: ${rows.length}`]);
            }

            outcome.findings.push(...both.faults());
            log(`round ${round}: ${outcome.kills}; ${sum(({ handedIn }) => handedIn)} hand-ins, ${sum(({ years }) => years)} years; ${outcome.acknowledged} answers, ${outcome.lost} lost`);
        }

        outcome.notes.push(`${sum(({ handedIn }) => handedIn)} hand-ins, ${sum(({ years }) => years)} ends of a year`);
    }
};
