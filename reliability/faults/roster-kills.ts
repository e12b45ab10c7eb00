import type { Dice } from '../../test/support/dice';
import { AnyInstance } from './caller';
import type { Outcome, Scenario } from './scenario';
import type { Service } from './service';
import { startTwo } from './two-instances';
import type { Answer, Call } from './wire';

const KILLS_A_ROUND = 12;
const TEACHERS = 3;

/** Pupils of a class, so that it has room for several lists. */
const MOST = 200;

interface Pupil {
    user: { id: string; username: string };
    name: string;
    passphrase: string;
}

/** A list that was sent: its names are of it alone. */
interface Roster {
    names: readonly string[];
    /** whether it was sent until it was answered */
    isKnown: boolean;
}

/** A teacher who opens accounts for lists of names, each with a key or without one, at whichever instance answers. */
class Teacher {
    readonly #any: AnyInstance;
    readonly #dice: Dice;
    readonly #outcome: Outcome;
    #token = '';
    #class = '';
    #rosters: Roster[] = [];
    #serial = 0;
    lists = 0;

    constructor(services: readonly Service[], dice: Dice, outcome: Outcome) {
        this.#any = new AnyInstance(services, dice, outcome, 'roster');
        this.#dice = dice;
        this.#outcome = outcome;
    }

    #check(holds: boolean, what: string): void {
        this.#any.check(holds, what);
    }

    #signed(call: Call): Call {
        return { token: this.#token === '' ? undefined : this.#token, ...call };
    }

    #ask(call: Call): Promise<Answer | undefined> {
        return this.#any.ask(this.#signed(call));
    }

    #must(call: Call): Promise<Answer> {
        return this.#any.must(this.#signed(call));
    }

    async open(name: string): Promise<void> {
        const { body: { token } } = await this.#must({ method: 'POST', path: '/users', body: { username: name, password: 'correct horse battery' }, key: `the-key-of-${name}` });
        this.#token = token.access_token;
    }

    async #begin(): Promise<void> {
        const { body } = await this.#must({ method: 'POST', path: '/users/me/classes', body: { title: 'Year 5' }, key: `the-key-of-a-class-${this.#token.slice(0, 8)}-${++this.#serial}` });
        this.#class = `/classes/${body.class.id}`;
        this.#rosters = [];
    }

    /** One list, and now and then a look at all of the class. */
    async step(): Promise<void> {
        const isFull = this.#rosters.reduce((sum, { names }) => sum + names.length, 0) > MOST - 20;
        if (this.#class === '' || isFull) {
            await this.look();
            await this.#begin();
        }

        const serial = ++this.#serial;
        const names = Array.from({ length: this.#dice.between(2, 12) }, (_, n) => `List ${serial} pupil ${n}`);
        const withKey = this.#dice.between(0, 3) > 0;
        const call: Call = { method: 'POST', path: `${this.#class}/pupils`, body: { names }, key: withKey ? `the-key-of-a-list-${this.#token.slice(0, 8)}-${serial}` : undefined };
        const answer = withKey ? await this.#must(call) : await this.#ask(call);
        this.#rosters.push({ names, isKnown: answer !== undefined });
        this.lists++;
        if (answer !== undefined) {
            await this.#checkAnswer(answer, call, names);
        }
    }

    async #checkAnswer({ status, body }: Answer, call: Call, names: readonly string[]): Promise<void> {
        this.#check(status === 201, `a list is ${status} ${JSON.stringify(body)}`);
        const pupils: readonly Pupil[] = body.pupils ?? [];
        this.#check(JSON.stringify(pupils.map(({ name }) => name)) === JSON.stringify(names), 'the names are not those of the list');
        const [pupil] = pupils;
        if (call.key !== undefined && this.#dice.between(0, 1) === 0) {
            const again = await this.#must(call);
            this.#check(again.status === 201 && JSON.stringify(again.body) === JSON.stringify(body), `a list that was sent again with its key is ${again.status} ${JSON.stringify(again.body).slice(0, 200)}`);
        }

        // The pass-phrase that was shown is the one that is stored, whichever of its requests was answered.
        if (pupil !== undefined && this.#dice.between(0, 2) === 0) {
            const signedIn = await this.#must({ method: 'POST', path: '/tokens', body: { username: pupil.user.username, password: pupil.passphrase }, token: undefined });
            this.#check(signedIn.status === 201 && signedIn.body.user.id === pupil.user.id, `a pupil signs in with ${signedIn.status}`);
        }
    }

    /** Each list is in the class as a whole, once, or not at all; those that were answered are there. */
    async look(): Promise<void> {
        if (this.#class === '') {
            return;
        }

        const { body } = await this.#must({ method: 'GET', path: this.#class });
        const there: string[] = body.pupils.map(({ name }: Pupil) => name);
        for (const { names, isKnown } of this.#rosters) {
            const counts = names.map((name) => there.filter((each) => each === name).length);
            const [first = 0] = counts;
            this.#check(counts.every((count) => count === first) && first <= 1 && (first === 1 || !isKnown), `a list ${isKnown ? 'that was answered' : 'without an answer'} is there ${counts.join()} times`);
        }

        const all = new Set(this.#rosters.flatMap(({ names }) => names));
        this.#check(there.every((name) => all.has(name)), 'a class has somebody of no list');
        this.#outcome.checks++;
    }
}

/** Teachers open accounts for lists of names while instances and sessions of the database are killed. */
export const rosterKills: Scenario = {
    name: 'rosters',
    title: 'SIGKILL of instances and of processes of PostgreSQL while teachers open accounts from lists',
    run: async (context, outcome) => {
        const { dice, rounds, log } = context;
        const both = await startTwo({ TEACHERS: 'open' }, context, outcome);
        const { database, services } = both;
        const teachers = Array.from({ length: TEACHERS }, () => new Teacher(services, dice.split(), outcome));
        await Promise.all(teachers.map((teacher, n) => teacher.open(`teacher-${n}`)));

        for (let round = 1; round <= rounds && outcome.findings.length === 0; ++round) {
            await both.killWhile(KILLS_A_ROUND, (isOn) => teachers.map(async (teacher) => {
                while (isOn()) {
                    await teacher.step();
                }
            }));
            await Promise.all(teachers.map((teacher) => teacher.look()));
            const { rows } = await database.db.raw<{ rows: object[] }>('select u.id from users u left join class_people k on k.user_id = u.id and k.class_id = u.managed_by where u.managed_by is not null and k.user_id is null');
            outcome.findings.push(...rows.length === 0 ? [] : [`${rows.length} accounts of a class are not in it`]);
            outcome.findings.push(...both.faults());
            log(`round ${round}: ${outcome.kills}; ${teachers.reduce((sum, { lists }) => sum + lists, 0)} lists; ${outcome.acknowledged} answers, ${outcome.lost} lost`);
        }

        outcome.notes.push(`${teachers.reduce((sum, { lists }) => sum + lists, 0)} lists of names`);
    }
};
