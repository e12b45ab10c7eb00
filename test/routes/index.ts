import type { Server } from '@hapi/hapi';

import { callers } from '../support/cast';
import { accounts } from './accounts';
import { administration } from './administration';
import { actions, bulkOf } from './actions';
import { classes } from './classes';
import { community } from './community';
import { files } from './files';
import { inProjects } from './in-projects';
import { projects } from './projects';
import type { Expectations, Ids, Privacy, Routes, Write } from './route';
import { service } from './service';

const groups: Readonly<Record<string, Routes>> = { 'service.ts': service, 'accounts.ts': accounts, 'projects.ts': projects, 'in-projects.ts': inProjects, 'files.ts': files, 'community.ts': community, 'classes.ts': classes, 'administration.ts': administration };

/** One route of the server, with what the tests expect of it. */
export interface Row extends Expectations, Partial<Pick<Write, 'takes' | 'whileSuspended'>> {
    /** as in the table: `GET /users/{user}` */
    key: string;
    method: string;
    path: string;
    /** of a bulk; else empty */
    action: string;
}

/** All of them. */
export const routes: readonly Row[] = Object.values(groups).flatMap((group) => Object.entries<Expectations & Partial<Write>>(group).map(([key, expectations]) => {
    const [method = '', path = ''] = key.split(' ');
    return { key, method, path, action: '', ...expectations };
}));

/** By caller: one status is everybody's; of four, an invalid token is 401, and one without the scope 403, or, if the route needs none, the owner's. */
export function cellsOf(cells: string, scope: Row['scope']): readonly string[] {
    const given = cells.split(' ');
    const [first = '', owner = ''] = given;
    switch (given.length) {
        case 1:
            return callers.map(() => first);
        case 4:
            return ['401', '401', '401', '401', scope === '' ? owner : '403', '401', ...given];
        default:
            return given;
    }
}

/** For a bulk, one for each action. */
export const byAction = (all: readonly Row[]): Row[] => all.flatMap((row) => (!row.path.endsWith('/bulk') ? [row] : Object.entries(actions).map(([action, { data, ...expectations }]) => {
    return { ...row, ...expectations, action, body: (ids: Ids) => bulkOf(action, data(ids)) };
})));

/** The ways to ask about a project. */
export const privaciesOf = ({ privacy }: Row): Privacy[] => [privacy ?? []].flat().map((one) => (typeof one === 'function' ? { expected: one } : one));

/** One way to ask a route about a project. */
export interface Question extends Privacy {
    /** of the test */
    name: string;
    row: Row;
    path: string;
}

/** All of them. A bulk is of the caller. */
export const questions: readonly Question[] = byAction(routes).flatMap((row) => privaciesOf(row).map((one) => {
    const path = one.path ?? row.path.replace('/users/{user}/bulk', '/users/{me}/bulk');
    return { query: row.query, body: row.body, ...one, row, path, name: [row.method, path, row.action, one.as].filter(Boolean).join(' ') };
}));

const pathOf = (key: string): string => key.split(' ')[1] ?? '';

/** The names of parameters in a path, in order. */
export const namesIn = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);

export const pathWith = (path: string, ids: Ids): string => path.replace(/\{(\w+)\}/g, (_match, name: string) => ids[name] ?? '');

/** The URL of a route, with the query that it needs. */
export const urlOf = ({ path, query = '' }: Pick<Row, 'path' | 'query'>, ids: Ids): string => pathWith(path, ids) + query;

/** A header for a body that is a file. */
export function typeOf(path: string, body: object | undefined): { 'content-type': string } | undefined {
    return Buffer.isBuffer(body) ? { 'content-type': path.endsWith('/imports') ? 'application/zip' : 'image/svg+xml' } : undefined;
}

/** The status that the owner gets. */
export const ownersStatus = ({ callers: cells, scope }: Row): number => Number(cellsOf(cells, scope)[callers.indexOf('owner')]?.slice(0, 3));

/** The file with the paths that begin most like this one. */
function fileFor(route: string): string {
    const parts = pathOf(route).split('/');
    const sharedBy = (key: string): number => pathOf(key).split('/').filter((_part, index, all) => all.slice(0, index + 1).every((one, at) => one === parts[at])).length;
    const [best] = Object.entries(groups).map(([file, group]) => ({ file, shared: Math.max(...Object.keys(group).map(sharedBy)) })).toSorted((one, other) => other.shared - one.shared);
    return best?.file ?? '';
}

/** What to do about each route of a server that has no row, and each row without a route; nothing if all is well. */
export function missingRows(server: Pick<Server, 'table'>): string[] {
    const registered = server.table().filter(({ method, settings }) => method !== '*' && !settings.isInternal).map(({ method, path }) => `${method.toUpperCase()} ${path}`);
    const keys = routes.map(({ key }) => key);
    return [
        ...registered.filter((route) => !keys.includes(route)).map((route) => `${route} is not in test/routes/: add a row to test/routes/${fileFor(route)} (test/routes/route.ts explains its keys)`),
        ...routes.filter(({ key }) => !registered.includes(key)).map(({ key }) => `The server has no ${key}: remove it from test/routes/`),
        ...keys.filter((key, index) => keys.indexOf(key) !== index).map((key) => `${key} is in test/routes/ twice`)
    ];
}
