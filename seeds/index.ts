import { createHash, randomBytes } from 'node:crypto';

import { projectActions, remixActions } from './actions';
import { call, listAt, lookUp, textAt } from './calls';
import { makeClass } from './classes';
import { classes, moderator, people, projects, remixes } from './community';

import type { MadeProject, MadeProjects } from './actions';
import type { Send } from './calls';
import type { ElementSeed, PageSeed, PersonSeed, ProjectSeed, RemixSeed } from './pieces';

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

    /** Gives the named account a permission, which the API cannot; without it no project is featured, and there is no class. */
    grant?: (username: string, account: Account, permission: 'moderator' | 'teacher') => Promise<void>;
}

export interface SeedReport {
    users: { username: string; password: string }[];
    projects: number;
    pages: number;
    elements: number;
    remixes: number;
    featured: number;
    classes: number;
}

/**
 * Creates the demo community through the API: accounts, projects (one bulk request each), remixes, and, if `grant` is
 * given, featured projects and a class. None of the accounts may exist yet.
 * @throws RefusedCall at the first response that is not 2xx; what was created until then stays
 */
export const seed = async function (send: Send, options: SeedOptions = {}): Promise<SeedReport> {
    const report: SeedReport = { users: [], projects: 0, pages: 0, elements: 0, remixes: 0, featured: 0, classes: 0 };
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
        await options.grant(moderator, account, 'moderator');
        for (const { key } of projects.filter(({ featured }) => featured)) {
            const { id, userId } = find(made, key);
            await call(send, 'PATCH', `/users/${userId}/projects/${id}/feature`, { featured: true }, account.token);
            ++report.featured;
        }

        for (const one of classes) {
            await options.grant(one.teacher, find(accounts, one.teacher), 'teacher');
            report.users.push(...await makeClass(send, one, (username) => find(accounts, username), (key) => find(made, key)));
            ++report.classes;
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
    const sent = await sendPictures(send, author, project.pages);
    const results = await bulk(send, author, projectActions({ ...project, pages: sent }, author.id, made), report);
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
    await bulk(send, author, remixActions({ ...remix, pages: await sendPictures(send, author, remix.pages) }, copy, pages, made), report);
};

/** Sends the pictures of pages as their author's assets. @returns the pages with references to them */
const sendPictures = async function (send: Send, author: Account, pages: PageSeed[]): Promise<PageSeed[]> {
    const sent = new Map<unknown, string>();
    for (const { attributes: { src } } of pages.flatMap(({ elements }) => elements)) {
        if (typeof src === 'string' && !sent.has(src)) {
            const picture = await fetch(src);
            const file = { type: String(picture.headers.get('content-type')), bytes: Buffer.from(await picture.arrayBuffer()) };
            const hash = createHash('sha256').update(file.bytes).digest('hex');
            await call(send, 'PUT', `/users/${author.id}/assets/${hash}`, undefined, author.token, file);
            sent.set(src, `asset:${hash}`);
        }
    }

    const withReference = (element: ElementSeed): ElementSeed => {
        const reference = sent.get(element.attributes.src);
        return reference === undefined ? element : { ...element, attributes: { ...element.attributes, src: reference } };
    };

    return pages.map((page) => ({ ...page, elements: page.elements.map(withReference) }));
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
