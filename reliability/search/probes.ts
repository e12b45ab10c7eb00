import { hashOf } from '../../test/support/files';
import type { Call } from '../attacks/attacker';
import type { Schema } from '../fuzz/description';
import type { Body, Values } from './bodies';
import type { Route } from './routes';
import type { Subject } from './subjects';

/** One request to try: a route, about something at a limit, with a body. */
export interface Probe {
    route: Route;
    subject: Subject;
    body: Body | undefined;
    path: string;
    query: string;
}

/** A probe as text. */
export const nameOf = ({ route, subject, body, path }: Probe): string => `${route.method} ${path} of ${subject.name}${body === undefined ? '' : ` with ${body.name}`}`;

/** Values for parameters of queries that make a response large or a search long; two for some, which make two probes. */
const queries: Readonly<Record<string, (values: Values) => readonly string[]>> = {
    count: () => ['100'], since: () => ['0'], width: () => ['1280'], maxwidth: () => ['320'], q: () => ['project', '\uFDFA'.repeat(60)],
    url: ({ origin, project }) => [`${origin}/p/${project}`]
};

/** What is left out: it would ask for less, or not go with the others. */
const leftOut = new Set(['after', 'page', 'format', 'maxheight']);

function queriesOf(query: Readonly<Record<string, Schema>>, values: Values): string[] {
    const choices = Object.entries(query).filter(([name, { enum: among }]) => !leftOut.has(name) && (queries[name] !== undefined || among !== undefined));
    return choices.reduce<string[]>((texts, [name, { enum: among = [] }]) => {
        const given = queries[name]?.(values) ?? among.slice(-1).map(String);
        return texts.flatMap((text) => given.map((value) => `${text}${text === '' ? '?' : '&'}${name}=${encodeURIComponent(value)}`));
    }, ['']);
}

/** The path of a route with the values of a subject for the n-th request; parameters without one are `1`. */
export function filled(path: string, values: Values, n = 0): string {
    return path.replace(/\{([a-z0-9]+)[?*]?\}/g, (_all, name: string) => {
        const several = (values[name] ?? '1').split(',');
        return encodeURIComponent(several[n % several.length] ?? '1');
    });
}

/** Parameters that say which subject a route is about. Routes with none of them are tried once. */
const telling = ['user', 'project', 'page', 'element', 'username', 'collection'];

/** The number of subjects that writes are about, the first ones: their cost is in their bodies. */
const WRITTEN = 2;

/** All requests to try. */
export function probesOf(routes: readonly Route[], subjects: readonly Subject[], bodiesFor: (route: Route, values: Values) => readonly Body[], origin: string): Probe[] {
    return routes.flatMap((route) => {
        const isAbout = telling.some((name) => route.path.includes(`{${name}`)) || 'url' in route.query;
        const isRead = route.method === 'GET';
        const about = subjects.slice(0, isAbout ? (isRead ? Infinity : WRITTEN) : 1);
        return about.flatMap((subject) => {
            const values = { ...subject.values, origin };
            const bodies = isRead ? [undefined] : bodiesFor(route, values);
            return queriesOf(route.query, values).flatMap((query) => bodies.map((body): Probe => ({ route, subject, body, path: `${filled(route.path, values)}${query}`, query })));
        });
    });
}

/** The n-th request of a probe. Reads that need no token are sent without one, as by a guest. */
export async function callOf({ route, subject, body, query }: Probe, n: number, method = route.method): Promise<Call> {
    const made = await body?.make(n);
    const values = Buffer.isBuffer(made) ? { ...subject.values, sha256: hashOf(made) } : subject.values;
    return {
        method, path: `${filled(route.path, values, n)}${query}`,
        headers: route.isPrivate || route.method !== 'GET' ? subject.account.headers : {}, ...made !== undefined && { body: made, type: body?.type }
    };
}
