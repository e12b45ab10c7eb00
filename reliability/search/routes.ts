import { operationsOf } from '../fuzz/description';
import type { Description, Schema } from '../fuzz/description';

/** A route to try: from the description of the running service, or a page of the site, which the description leaves out. */
export interface Route {
    method: string;
    path: string;
    /** names of the parameters of its query, with their schemas */
    query: Readonly<Record<string, Schema>>;
    /** whether a token is needed */
    isPrivate: boolean;
    /** of a JSON body */
    body: Schema | undefined;
    /** content types of bodies that are bytes */
    takes: readonly string[];
}

/** Routes that the description leaves out: the pages of the site, those of its authorization server, and files. A test compares them with what the server has. */
export const undescribed: readonly string[] = [
    '/', '/browse/{list}', '/tags/{tag}?after', '/find?q,after', '/u/{username}?after', '/c/{collection}?after', '/p/{project}/{page?}', '/p/{project}/embed', '/p/{project}/{page}/embed',
    '/oembed?url,maxwidth', '/edit/{project}', '/account', '/account/{part*}', '/sign-in', '/sign-in/{provider}', '/sign-up', '/new-password', '/moderation', '/admin', '/classes', '/class/{class_id}', '/welcome', '/feed', '/transparency', '/letters/off?key', 'POST /letters/off?key', '/docs', '/site/{file}', '/client/{file}', '/client/{version}/{file}',
    '/device', '/.well-known/oauth-authorization-server', '/.well-known/openid-configuration', '/oauth/jwks', '/oauth/auth?client_id,redirect_uri,scope', '/oauth/auth/{uid}', '/oauth/consent/{uid}', '/oauth/consent/{uid}/request',
    '/oauth/userinfo', 'POST /oauth/userinfo', 'POST /oauth/token', 'POST /oauth/par', 'POST /oauth/revoke', 'POST /oauth/device', 'POST /oauth/docs', 'POST /oauth/consent/{uid}', 'POST /oauth/device/request', 'POST /oauth/device/decision',
    '/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp', 'POST /mcp',
    '/discover/feed.atom', '/discover/feed.json', '/tags/{tag}/feed.atom', '/tags/{tag}/feed.json', '/u/{username}/feed.atom', '/u/{username}/feed.json', '/c/{collection}/feed.atom', '/c/{collection}/feed.json',
    '/robots.txt', '/sitemap.xml', '/sitemaps/pages.xml', '/sitemaps/{number}.xml', '/manifest.webmanifest', '/service-worker.js', '/offline',
    '/schemas/project.json', '/schemas/history.json', '/schemas/elements.json'
];

const pageOf = (text: string): Route => {
    const [, method = 'GET', path = '', names] = /^(?:(POST) )?(.*?)(?:\?([a-z_,]+))?$/.exec(text) ?? [];
    return { method, path, query: Object.fromEntries((names?.split(',') ?? []).map((name) => [name, {}])), isPrivate: false, body: undefined, takes: [] };
};

/** All routes of a running service. */
export function routesOf(description: Description): Route[] {
    const described = operationsOf(description).map(({ method, path, parameters, scopes, body, takes }): Route => ({
        method, path, isPrivate: scopes !== undefined, body, takes,
        query: Object.fromEntries(parameters.filter((one) => one.in === 'query').map(({ name, schema }) => [name, schema]))
    }));
    return [...described, ...undescribed.map(pageOf)];
}
