import type { Dice } from '../../test/support/dice';
import { AnyInstance } from './caller';
import type { Outcome } from './scenario';
import type { Service } from './service';
import type { Answer, Call } from './wire';

export interface Person {
    id: string;
    username: string;
    token: string;
    /** of the comments on a project of theirs */
    comments: string;
    project: string;
}

/** A comment that was sent; its text is of it alone. */
export interface Sent {
    text: string;
    author: Person;
    /** on whose project */
    owner: Person;
    /** who is to be told of it, and by what kind of notice */
    told: ReadonlyMap<string, 'comment' | 'reply' | 'mention'>;
    /** null as long as no answer came */
    id: string | null;
    /** whether somebody may have removed or held it, so that whom it concerns may not be told any more */
    isTouched: boolean;
}

/** What a moderator decided about a comment, until that was answered. */
export interface Case {
    sent: Sent;
    reporter: Person;
    decision: 'hold' | 'remove';
    /** of the appeal, once that was answered */
    outcome?: 'upheld' | 'reversed';
}

/** What everybody has done. */
export class Talk {
    readonly people: Person[] = [];
    readonly sent: Sent[] = [];
    readonly cases: Case[] = [];
    /** who follows whom, by ids */
    readonly follows = new Set<string>();
    serial = 0;
    readonly #any: AnyInstance;

    constructor(services: readonly Service[], dice: Dice, outcome: Outcome) {
        this.#any = new AnyInstance(services, dice, outcome, 'talk');
    }

    check(holds: boolean, what: string): void {
        this.#any.check(holds, what);
    }

    /** Sends a request once; undefined if it is not known whether it was done. */
    ask({ token }: Person, method: string, path: string, body: object, key?: string): Promise<Answer | undefined> {
        return this.#any.ask({ method, path, body, token, key });
    }

    /** Sends a request until it is answered. @param expected statuses that it may have */
    async must({ token }: Pick<Person, 'token'>, method: string, path: string, expected: readonly number[], sent: Pick<Call, 'body' | 'key'> = {}): Promise<Answer> {
        const answer = await this.#any.must({ method, path, token: token === '' ? undefined : token, ...sent });
        const what = `${method} ${path} is ${answer.status} ${JSON.stringify(answer.body).slice(0, 200)}`;
        this.check(expected.includes(answer.status), what);
        return answer;
    }

    /** Opens an account with a project. */
    async open(username: string): Promise<Person> {
        const account = { body: { username, password: 'correct horse battery' }, key: `the-key-of-${username}` };
        const { body: { user: { id }, token: { access_token: token } } } = await this.must({ token: '' }, 'POST', '/users', [201], account);
        const project = { body: { title: `What ${username} made`, visibility: 'public' }, key: `the-key-of-the-project-of-${username}` };
        const { body } = await this.must({ token }, 'POST', '/users/me/projects', [201], project);
        return { id, username, token, comments: `/users/${id}/projects/${body.project.id}/comments`, project: body.project.id };
    }
}

/** Somebody who comments, answers, mentions, removes what they said, and follows others. */
export class Talker {
    readonly #talk: Talk;
    readonly #dice: Dice;
    readonly #me: Person;

    constructor(talk: Talk, dice: Dice, me: Person) {
        this.#talk = talk;
        this.#dice = dice;
        this.#me = me;
    }

    async step(): Promise<void> {
        switch (this.#dice.weighted({ comment: 5, reply: 5, remove: 1, follow: 1 })) {
            case 'comment':
                await this.#comment(undefined);
                break;
            case 'reply':
                await this.#comment(this.#dice.pick(this.#talk.sent.filter(({ id, isTouched }) => id !== null && !isTouched)));
                break;
            case 'remove':
                await this.#remove();
                break;
            default:
                await this.#follow();
        }
    }

    async #comment(answered: Sent | undefined): Promise<void> {
        const { people, sent } = this.#talk;
        const me = this.#me;
        const owner = answered?.owner ?? this.#dice.pick(people) ?? me;
        const mentioned = people.filter(() => this.#dice.chance(0.2));
        const serial = ++this.#talk.serial;
        const told = new Map<string, 'comment' | 'reply' | 'mention'>([[owner.id, 'comment']]);
        mentioned.forEach(({ id }) => told.set(id, 'mention'));
        if (answered !== undefined) {
            told.set(answered.author.id, 'reply');
        }

        told.delete(me.id);
        const text = `Comment ${serial}: ${mentioned.map(({ username }) => `@${username}`).join(' ')}`.trim();
        const one: Sent = { text, author: me, owner, told, id: null, isTouched: false };
        sent.push(one);
        const body = { text, ...answered !== undefined && { reply_to: answered.id } };
        const key = this.#dice.chance(0.7) ? `the-key-of-a-comment-${serial}` : undefined;
        // What it answers may have been removed or held meanwhile.
        const expected = answered === undefined ? [201] : [201, 404];
        const answer = key === undefined ? await this.#talk.ask(me, 'POST', owner.comments, body) : await this.#talk.must(me, 'POST', owner.comments, expected, { body, key });
        if (answer === undefined) {
            return;
        }

        const { status, body: shown } = answer;
        this.#talk.check(status === 201 || (status === 404 && answered?.isTouched === true), `a comment is ${status} ${JSON.stringify(shown)}`);
        if (status !== 201) {
            sent.splice(sent.indexOf(one), 1);
            return;
        }

        one.id = shown.comment.id;
        if (key !== undefined && this.#dice.chance(0.4)) {
            const again = await this.#talk.must(me, 'POST', owner.comments, [201], { body, key });
            this.#talk.check(again.body.comment?.id === one.id, `a comment that was sent again with its key is ${JSON.stringify(again.body)}`);
        }
    }

    async #remove(): Promise<void> {
        const mine = this.#dice.pick(this.#talk.sent.filter(({ author, id, isTouched }) => author === this.#me && id !== null && !isTouched));
        if (mine !== undefined) {
            mine.isTouched = true;
            // After a lost answer, it is gone already.
            await this.#talk.must(this.#me, 'DELETE', `${mine.owner.comments}/${mine.id}`, [200, 404]);
        }
    }

    async #follow(): Promise<void> {
        const other = this.#dice.pick(this.#talk.people.filter(({ id }) => id !== this.#me.id));
        if (other !== undefined) {
            await this.#talk.must(this.#me, 'PUT', `/users/${this.#me.id}/following/${other.username}`, [200, 201]);
            this.#talk.follows.add(`${this.#me.id} ${other.id}`);
        }
    }
}

/** Reports of one account in a day, with room for those that were sent again. */
const REPORTS = 40;

/** Two moderators, who decide about what others report, and on appeals against each other. */
export class Court {
    readonly #talk: Talk;
    readonly #dice: Dice;
    readonly #moderators: readonly [Person, Person];
    #reporter: Person | undefined;
    #reports = 0;

    constructor(talk: Talk, dice: Dice, moderators: readonly [Person, Person]) {
        this.#talk = talk;
        this.#dice = dice;
        this.#moderators = moderators;
    }

    async step(): Promise<void> {
        const sent = this.#dice.pick(this.#talk.sent.filter(({ id, isTouched }) => id !== null && !isTouched));
        if (sent === undefined) {
            return;
        }

        sent.isTouched = true;
        if (this.#reporter === undefined || this.#reports++ % REPORTS === 0) {
            this.#reporter = await this.#talk.open(`reporter-${++this.#talk.serial}`);
        }

        await this.#talk.must(this.#reporter, 'POST', `/comments/${sent.id}/reports`, [200, 201], { body: { reason: 'spam' } });
        const isHeld = this.#dice.chance(0.5);
        const body = { state: isHeld ? 'held' : 'removed', note: 'Against the rules' };
        const path = `/moderation/reports/comments/${sent.id}`;
        // Of two who remove it at once, one finds nothing to remove any more; and so does who does it again after a lost answer.
        const deciding = this.#moderators.slice(0, isHeld || this.#dice.chance(0.5) ? 1 : 2);
        await Promise.all(deciding.map((one) => this.#talk.must(one, 'PATCH', path, isHeld ? [200] : [200, 404], { body })));
        const one: Case = { sent, reporter: this.#reporter, decision: isHeld ? 'hold' : 'remove' };
        this.#talk.cases.push(one);
        if (this.#dice.chance(0.6)) {
            await this.#appeal(one);
        }
    }

    async #appeal(one: Case): Promise<void> {
        const { author, id } = one.sent;
        const path = `/users/${author.id}/statements`;
        const { body: { statements } } = await this.#talk.must(author, 'GET', path, [200]);
        const stated: readonly { id: string; decision: string }[] = statements.filter(({ type, thing_id: thing }: { type: string; thing_id: string }) => type === 'comment' && thing === id);
        this.#talk.check(stated.length === 1 && stated[0]?.decision === one.decision, `to the author of comment ${id} is stated ${JSON.stringify(stated)}`);
        const statement = stated[0]?.id;
        const text = { body: { text: 'I meant no harm' } };
        await this.#talk.must(author, 'POST', `${path}/${statement}/appeal`, [201], { ...text, key: `the-key-of-an-appeal-${statement}` });
        await this.#talk.must(author, 'POST', `${path}/${statement}/appeal`, [409], text);
        const outcome = this.#dice.chance(0.5) ? 'upheld' : 'reversed';
        const decided = { body: { outcome, reason: 'Looked at again' } };
        const statuses: number[] = [];
        for (const moderator of this.#moderators) {
            // Whose answer was lost finds it decided.
            statuses.push((await this.#talk.must(moderator, 'PATCH', `/moderation/appeals/${statement}`, [200, 403, 409], decided)).status);
        }

        const own = statuses.filter((status) => status === 403).length;
        this.#talk.check(own === 1, `the appeal ${statement} is decided with ${statuses}`);
        one.outcome = outcome;
    }
}
