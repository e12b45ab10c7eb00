import { randomBytes } from 'node:crypto';

import { projectActions, remixActions } from './actions';
import { call, listAt, lookUp, textAt } from './calls';
import { moderator, people, projects, remixes } from './community';

import type { MadeProject, MadeProjects } from './actions';
import type { Send } from './calls';
import type { PersonSeed, ProjectSeed, RemixSeed } from './pieces';

export { RefusedCall } from './calls';
export { moderator, people } from './community';

export type { Send } from './calls';

export interface Account {
    id: string;
    username: string;
    password: string;
    token: string;
}

export interface SeedOptions {
    /** One password for every account; without it each gets a random one. */
    password?: string;

    /** Makes the named account a moderator, which the API cannot; without it no project is featured. */
    grant?: (username: string, account: Account) => Promise<void>;
}

export interface SeedReport {
    users: { username: string; password: string }[];
    projects: number;
    pages: number;
    elements: number;
    remixes: number;
    featured: number;
}

/**
 * Creates the demo community through the API: accounts, projects (one bulk request each), remixes, and, if `grant` is
 * given, featured projects. None of the accounts may exist yet.
 * @throws RefusedCall at the first response that is not 2xx; what was created until then stays
 */
export const seed = async function (send: Send, options: SeedOptions = {}): Promise<SeedReport> {
    const report: SeedReport = { users: [], projects: 0, pages: 0, elements: 0, remixes: 0, featured: 0 };
    const accounts = new Map<string, Account>();
    for (const person of people) {
        const account = await openAccount(send, person, options.password);
        accounts.set(person.username, account);
        report.users.push({ username: account.username, password: account.password });
    }

    const made: MadeProjects = new Map();
    for (const project of projects) {
        made.set(project.key, await makeProject(send, project, find(accounts, project.author), made, report));
    }

    for (const remix of remixes) {
        await makeRemix(send, remix, find(accounts, remix.author), made, report);
    }

    if (options.grant) {
        const account = find(accounts, moderator);
        await options.grant(moderator, account);
        for (const { key } of projects.filter(({ featured }) => featured)) {
            const { id, userId } = find(made, key);
            await call(send, 'PATCH', `/users/${userId}/projects/${id}/feature`, { featured: true }, account.token);
            ++report.featured;
        }
    }

    return report;
};

const openAccount = async function (send: Send, { username, language }: PersonSeed, given?: string): Promise<Account> {
    const password = given ?? randomBytes(12).toString('base64url');
    const answer = await call(send, 'POST', '/users', { username, password, language });
    return { id: textAt(answer, 'user.id'), username, password, token: textAt(answer, 'token.access_token') };
};

const makeProject = async function (send: Send, project: ProjectSeed, author: Account, made: MadeProjects, report: SeedReport): Promise<MadeProject> {
    const results = await bulk(send, author, projectActions(project, author.id, made), report);
    const pages = project.pages.map(({ name }, i): [string, string] => [name, textAt(results[i + 1], 'id')]);
    return { id: textAt(results[0], 'id'), userId: author.id, pages: new Map(pages) };
};

const makeRemix = async function (send: Send, remix: RemixSeed, author: Account, made: MadeProjects, report: SeedReport): Promise<void> {
    const source = find(made, remix.source);
    const answer = await call(send, 'POST', `/users/${source.userId}/projects/${source.id}/remixes`, {}, author.token);
    const copy: MadeProject = { id: textAt(answer, 'project.id'), userId: author.id, pages: new Map() };
    const pages = await call(send, 'GET', `/users/${author.id}/projects/${copy.id}/pages`);
    report.projects += 1;
    report.remixes += 1;
    report.pages += listAt(pages, 'pages').length;
    report.elements += listAt(pages, 'pages').flatMap((page) => listAt(page, 'elements')).length;
    await bulk(send, author, remixActions(remix, copy, pages, made), report);
};

/** Runs actions as one bulk request and counts what it created. */
const bulk = async function (send: Send, author: Account, actions: ReturnType<typeof projectActions>, report: SeedReport): Promise<unknown[]> {
    const path = `/users/${author.id}/bulk`;
    const results = listAt(await call(send, 'POST', path, { actions }, author.token), 'results');
    for (const { type, method } of actions) {
        report[type] += method === 'create' ? 1 : 0;
    }

    const unresolved = results.find((result) => String(lookUp(result, ['attributes', 'targetPageId'])).startsWith('$'));
    if (unresolved !== undefined) {
        throw new Error(`POST ${path} kept the reference of a link as it was: ${JSON.stringify(unresolved)}`);
    }

    return results;
};

const find = function <Found> (known: Map<string, Found>, name: string): Found {
    const found = known.get(name);
    if (found === undefined) {
        throw new Error(`The demo community has no “${name}”`);
    }

    return found;
};
