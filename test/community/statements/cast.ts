import { expect } from '@hapi/code';

import { openAuthor } from '../../support/authoring';
import type { Author, MadeProject } from '../../support/authoring';
import type { Answer, TestServer } from '../../support/server';

export type Statement = Answer['body'];

/** Two moderators, and somebody about whom they decide. */
export class StatementCast {
    readonly server: TestServer;
    readonly moderator: Author;
    readonly other: Author;
    readonly author: Author;
    readonly reader: Author;
    project: MadeProject;

    private constructor(server: TestServer, [moderator, other, author, reader]: readonly [Author, Author, Author, Author], project: MadeProject) {
        this.server = server;
        this.moderator = moderator;
        this.other = other;
        this.author = author;
        this.reader = reader;
        this.project = project;
    }

    static async open(server: TestServer): Promise<StatementCast> {
        // There may be moderators of earlier tests.
        await server.database.db.raw('update users set moderator = false');
        const moderators = [await openAuthor(server, undefined, { moderator: true }), await openAuthor(server, undefined, { moderator: true })] as const;
        const others = [await openAuthor(server), await openAuthor(server)] as const;
        return new StatementCast(server, [...moderators, ...others], await others[0].project({ title: 'Win a phone' }));
    }

    /** Statements for somebody, newest first. */
    async statements(of = this.author): Promise<Statement[]> {
        const { status, body } = await of.call('GET', `/users/${of.id}/statements?count=100`);
        expect(status).to.equal(200);
        return body.statements;
    }

    async newest(of = this.author): Promise<Statement> {
        return (await this.statements(of))[0];
    }

    /** Kinds and statements of the notices that somebody got, oldest first. */
    async notices(of = this.author): Promise<[kind: string, statement: string][]> {
        const { rows } = await this.server.database.db.raw(`select kind, thing_id::text as thing, by_id from notice_events where user_id = ? and kind in ('decision', 'appeal') order by id`, [of.id]);
        return rows.map(({ kind, thing, by_id: by }: { kind: string; thing: string; by_id: string | null }) => {
            expect(by).to.be.null();
            return [kind, thing];
        });
    }

    hold(by = this.moderator, body: object = { reason: 'A shop' }): Promise<Answer> {
        return by.call('PUT', `/moderation/projects/${this.project.id}/hold`, body);
    }

    release(by = this.moderator): Promise<Answer> {
        return by.call('DELETE', `/moderation/projects/${this.project.id}/hold`);
    }

    suspend(by = this.moderator, body: object = { reason: 'Spam' }): Promise<Answer> {
        return by.call('PUT', `/moderation/users/${this.author.id}/suspension`, body);
    }

    unsuspend(by = this.moderator): Promise<Answer> {
        return by.call('DELETE', `/moderation/users/${this.author.id}/suspension`);
    }

    decide(state: string, by = this.moderator, more: object = {}): Promise<Answer> {
        return by.call('PATCH', `/moderation/reports/${this.project.id}`, { state, note: 'A shop', ...more });
    }

    report(reason = 'spam', by = this.reader): Promise<Answer> {
        return by.call('POST', `/projects/${this.project.id}/reports`, { reason });
    }

    appeal({ id }: Statement, text = 'It is no shop', by = this.author): Promise<Answer> {
        return by.call('POST', `/users/${by.id}/statements/${id}/appeal`, { text });
    }

    answer({ id }: Statement, outcome: string, by = this.other, reason = 'I looked'): Promise<Answer> {
        return by.call('PATCH', `/moderation/appeals/${id}`, { outcome, reason });
    }

    /** The entry of a removed thing in the author's trash. */
    async entry(type: string, id: string): Promise<string> {
        const { body } = await this.moderator.call('GET', `/users/${this.author.id}/trash?count=100`);
        return body.trash.find((one: Answer['body']) => one.type === type && one.thing.id === id).id;
    }

    restore(entry: string, by = this.moderator): Promise<Answer> {
        return by.call('POST', `/users/${this.author.id}/trash/${entry}/restore`, {});
    }
}
