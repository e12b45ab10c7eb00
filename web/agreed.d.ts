/**
 * Paths that the description of the API has once the subjects of conversation are there. Delete this file then: the generated types say the same.
 */
import type { Rule } from './moderation/reported';
import type { Block, Notice, OpenAppeal, OwnReport, Statement } from './ui/conversation';

type Methods<Given> = Given & { [Name in Exclude<'get' | 'put' | 'post' | 'patch' | 'delete', keyof Given>]?: never };

interface Answer<Status extends number, Body> {
    responses: { [Each in Status]: { content: { 'application/json': Body } } };
}

interface Own {
    user: string;
}

interface InPath<Params> {
    parameters: { path: Params };
}

interface NoBody {
    requestBody?: never;
}

interface Listed<Params> extends NoBody {
    parameters: { path: Params; query?: { count?: number; after?: string } };
}

interface Body<Content> {
    requestBody: { content: { 'application/json': Content } };
}

declare module '../client/src/schema.js' {
    interface paths {
        '/users/{user}/notices': Methods<{ get: Listed<Own> & Answer<200, { status: 'success'; notices: Notice[]; unread: number; next: string | null }> }>;
        '/users/{user}/notices/read': Methods<{ put: InPath<Own> & Body<{ until: string }> & Answer<200, { status: 'updated'; unread: number }> }>;
        '/users/{user}/notices/letter': Methods<{ get: NoBody & InPath<Own> & Answer<200, { status: 'success'; letter: { daily: boolean } }>; put: InPath<Own> & Body<{ daily: boolean }> & Answer<200, { status: 'updated'; letter: { daily: boolean } }> }>;
        '/users/{user}/statements': Methods<{ get: Listed<Own> & Answer<200, { status: 'success'; statements: Statement[]; next: string | null }> }>;
        '/users/{user}/statements/{statement}/appeal': Methods<{ post: InPath<Own & { statement: string }> & Body<{ text: string }> & Answer<201, { status: 'created'; statement: Statement }> }>;
        '/users/{user}/reports': Methods<{ get: Listed<Own> & Answer<200, { status: 'success'; reports: OwnReport[]; next: string | null }> }>;
        '/users/{user}/blocks': Methods<{ get: Listed<Own> & Answer<200, { status: 'success'; blocks: Block[]; next: string | null }> }>;
        '/users/{user}/blocks/{username}': Methods<{ put: InPath<Own & { username: string }> & NoBody & Answer<200, { status: 'updated' }>; delete: InPath<Own & { username: string }> & NoBody & Answer<200, { status: 'deleted' }> }>;
        '/moderation/appeals': Methods<{ get: NoBody & { parameters: { query?: { count?: number; after?: string } } } & Answer<200, { status: 'success'; appeals: OpenAppeal[]; next: string | null }> }>;
        '/moderation/appeals/{statement}': Methods<{ patch: InPath<{ statement: string }> & Body<{ outcome: 'upheld' | 'reversed'; reason: string }> & Answer<200, { status: 'updated'; statement: Statement }> }>;
        '/moderation/reports/comments/{comment}': Methods<{ patch: InPath<{ comment: string }> & Body<{ state: 'kept' | 'held' | 'removed'; note: string; rule?: Rule }> & Answer<200, { status: 'updated' }> }>;
        '/moderation/reports/users/{user}': Methods<{ patch: InPath<{ user: string }> & Body<{ state: string; note: string; rule?: Rule; until?: string }> & Answer<200, { status: 'updated' }> }>;
        '/moderation/assets/{sha256}': Methods<{
            put: InPath<{ sha256: string }> & Body<{ reason: string }> & Answer<200, { status: 'updated' }>;
            delete: InPath<{ sha256: string }> & Body<{ reason: string }> & Answer<200, { status: 'deleted' }>;
        }>;
    }
}
