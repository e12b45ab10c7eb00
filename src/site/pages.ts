import { Readable } from 'node:stream';

import { mediaType } from '@hapi/accept';
import type { Lifecycle, ReqRef, Request, ResponseObject, ResponseToolkit, RouteOptions, RouteOptionsApp, Server } from '@hapi/hapi';
import type Joi from 'joi';
import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';

import type { Config } from '../config';
import { conditional, matchesTag } from '../api/request/entity-tags';
import type { ErrorPage } from '../api/request/error-response';
import type { Cost } from '../api/protection/cost';
import { originFor } from '../api/request/path';
import { listCache, respondWith, responseCache, sharedResponse, tagOf } from '../api/request/shared-responses';
import type { SharedResponse } from '../api/request/shared-responses';
import type { Services } from '../api/services';
import type { BuiltFiles } from './built-files';
import type { PageContext } from './context';
import type { CurrentAnnouncements } from './current-announcements';
import { directionOf, isLanguage, languageOf, translations } from './languages';
import { filePolicy, pageHeaders } from './policy';
import type { SiteConfig } from '../config/site';

declare module '@hapi/hapi' {
    interface RouteOptionsApp {
        /** which sites may show this page in a frame, as `frame-ancestors` of a Content-Security-Policy has it; none if left out */
        frames?: string;
        /** whether sounds are recorded on this page */
        records?: boolean;
        /** whether browsers get errors of this route as pages; so it is for all routes of the site */
        forPeople?: boolean;
    }
}

type PageRequest = Pick<Request, 'headers' | 'inQueue' | 'method' | 'path' | 'query' | 'raw' | 'url'> & { route: { settings: { app?: RouteOptionsApp } } };

type MakePage = (page: PageContext) => VNode | undefined | Promise<VNode | undefined>;

/** A page that is kept for as long as it shows the same. */
export interface KeptPage {
    /** all that decides how the page looks, besides its language and the place */
    state: unknown;
    make: MakePage;
}

/** A file for programs that is kept for as long as it says the same. */
export interface KeptFile {
    /** all that decides what it says, besides the language and the place */
    state: unknown;
    make(): string | Promise<string>;
}

/** Milliseconds that a page is kept after it was made, and bytes of all that are. */
const KEPT_FOR = 60_000;
const KEPT_BYTES = 16 * 1024 * 1024;

/** How pages are made and answered. */
export interface Pages {
    /** Responds with a page as everybody sees it, from the cache if it was made a moment ago; with 404 if `make` returns undefined. */
    respond<Refs extends ReqRef>(h: ResponseToolkit<Refs>, request: PageRequest, make: MakePage): Promise<ResponseObject>;
    /**
     * Responds with a page that is always up to date. It is made only if it is not kept, and not for HEAD, nor for a browser that has it.
     * @param find reads what the page shows, or at least its state, for each request; undefined if there is nothing that everybody may see
     */
    respondKept<Refs extends ReqRef>(h: ResponseToolkit<Refs>, request: PageRequest, find: () => Promise<KeptPage | undefined>): Promise<ResponseObject>;
    /** Serves a kept file for programs, such as a feed. @param type its media type */
    respondFile<Refs extends ReqRef>(h: ResponseToolkit<Refs>, request: PageRequest, type: string, find: (page: PageContext) => Promise<KeptFile | undefined>): Promise<ResponseObject>;
    /** Responds with a page that is made for this request alone. */
    show<Refs extends ReqRef>(h: ResponseToolkit<Refs>, request: PageRequest, make: (page: PageContext) => VNode): ResponseObject;
    /** Responds with 404 to a request that does not validate, as there is no such page. */
    invalid: Lifecycle.Method;
    errorPage: ErrorPage;
    /** the route option that responds from the cache before anything is validated */
    ext: RouteOptions['ext'];
}

/** The options that the routes of the site share. */
export interface Site extends Pages, Services {
    server: Server;
    built: BuiltFiles;
    /** Options of a page's route. Queries that it does not know change nothing. */
    options(cost: Cost, params?: Joi.ObjectSchema, query?: Joi.SchemaMap, app?: Pick<RouteOptionsApp, 'frames' | 'records'>): { ext: RouteOptions['ext']; app: RouteOptionsApp; validate: { params: Joi.ObjectSchema | undefined; query: Joi.ObjectSchema; failAction: Lifecycle.Method } };
}

class NothingThere extends Error {}

const html = (node: VNode): string => `<!doctype html>${renderToString(node)}`;

function dress(response: ResponseObject, { route }: PageRequest): ResponseObject {
    response.type('text/html; charset=utf-8').vary('accept-language');
    for (const [name, value] of Object.entries(pageHeaders(route.settings.app?.frames, route.settings.app?.records))) {
        response.header(name, value);
    }

    return response;
}

/** The headers of a file for programs, which runs nothing, and is shown in no frame. */
const dressFile = (response: ResponseObject, type: string): ResponseObject => response.type(`${type}; charset=utf-8`).vary('accept-language').header('content-security-policy', filePolicy);

const answer = <Refs extends ReqRef>(h: ResponseToolkit<Refs>, request: PageRequest, response: SharedResponse): ResponseObject => dress(respondWith(h, request, response), request);

/** The pages that are shown instead of the one that was asked for. */
interface InsteadOfPages {
    /** there is no such page */
    missing(page: PageContext): VNode;
    /** an error of the service. @param id of the request */
    failed(page: PageContext, id: string): VNode;
}

export function sitePages(config: Pick<Config, 'listMaxAge' | 'publicUrl'>, place: SiteConfig, built: BuiltFiles, announcements: CurrentAnnouncements, { missing, failed }: InsteadOfPages): Pages {
    const textsOf = translations(built);
    const cache = listCache(config.listMaxAge);
    // By what they show, so that none is sent in the place of another, or to somebody who may not see it.
    const kept = responseCache(KEPT_FOR, KEPT_BYTES);
    const release = [built.release, place];
    const originOf = (request: PageRequest): string => originFor(request, config);
    const keyOf = (request: PageRequest, url: string | undefined): string => `${languageOf(request)} ${originOf(request)} ${url}`;

    const context = (request: PageRequest): PageContext => {
        const { path, query: { lang, ...rest } } = request;
        const language = languageOf(request);
        return {
            t: textsOf(language),
            language,
            direction: directionOf(language),
            place,
            announcements: announcements.last,
            origin: originOf(request),
            // A link to a path that begins with two slashes would lead to another site.
            path: addressOf(path.replace(/^[/\\]+/, '/'), rest),
            href: (to) => (isLanguage(lang) ? `${to}${to.includes('?') ? '&' : '?'}lang=${language}` : to)
        };
    };

    const nothing = <Refs extends ReqRef>(h: ResponseToolkit<Refs>, request: PageRequest): ResponseObject => {
        return dress(h.response(html(missing(context(request)))).code(404), request);
    };

    const textOf = async (make: MakePage, page: PageContext): Promise<string> => {
        const node = await make(page);
        if (node === undefined) {
            throw new NothingThere();
        }

        return html(node);
    };

    const orNothing = async <Refs extends ReqRef>(h: ResponseToolkit<Refs>, request: PageRequest, work: () => Promise<ResponseObject>): Promise<ResponseObject> => {
        try {
            return await work();
        }
        catch (error) {
            if (error instanceof NothingThere) {
                return nothing(h, request);
            }

            throw error;
        }
    };

    /** Responds with a text that is kept for as long as its state is the same. */
    const respondKept = <Refs extends ReqRef>(h: ResponseToolkit<Refs>, request: PageRequest, find: (page: PageContext) => Promise<KeptFile | undefined>, dressed: (response: ResponseObject) => ResponseObject): Promise<ResponseObject> => (
        orNothing(h, request, async () => {
            const page = context(request);
            const found = await find(page);
            if (found === undefined) {
                throw new NothingThere();
            }

            const { language, origin, path, href } = page;
            const tag = tagOf(JSON.stringify([release, language, origin, path, href('/'), found.state]));
            if (matchesTag(request, tag) || request.method === 'head') {
                return dressed(conditional(h, tag, matchesTag(request, tag) ? null : Readable.from([], { objectMode: false })));
            }

            // What is kept does not wait behind what has to be made.
            const making = (): Promise<SharedResponse> => kept.shared(tag, async () => sharedResponse(await found.make(), { tag }));
            const isQueued = request.route.settings.app?.cost === 'page';
            return dressed(respondWith(h, request, kept.get(tag) ?? await (isQueued ? request.inQueue(making) : making())));
        })
    );

    return {
        respond: (h, request, make) => orNothing(h, request, async () => {
            const render = async (): Promise<SharedResponse> => {
                await announcements.refresh();
                return sharedResponse(await textOf(make, context(request)));
            };

            if (cache === undefined) {
                return answer(h, request, await render());
            }

            const url = addressOf(request.path, request.query);
            const response = await cache.shared(keyOf(request, url), render);
            response.atItsUrl ||= request.raw.req.url === url;
            return answer(h, request, response);
        }),
        respondKept: async (h, request, find) => {
            await announcements.refresh();
            return respondKept(h, request, async (page) => {
                const found = await find();
                return found && { state: [found.state, page.announcements], make: () => textOf(found.make, page) };
            }, (response) => dress(response, request));
        },
        respondFile: (h, request, type, find) => respondKept(h, request, find, (response) => dressFile(response, type)),
        show: (h, request, make) => dress(h.response(html(make(context(request)))), request),
        invalid: (request, h) => nothing(h, request).takeover(),
        errorPage: (request, h, status) => {
            // An address that takes other methods is one of the API.
            if (status === 405 || !isForPerson(request)) {
                return undefined;
            }

            const page = context(request);
            return dress(h.response(html(status === 404 || status === 400 ? missing(page) : failed(page, request.info.id))), request).vary('accept');
        },
        ext: {
            onPreAuth: {
                method: (request, h) => {
                    const cached = cache?.get(keyOf(request, request.raw.req.url));
                    return cached?.atItsUrl ? answer(h, request, cached).takeover() : h.continue;
                }
            }
        }
    };
}

/** Whether a browser asks for a page to show: the path is for people or unknown, and `Accept` prefers HTML. */
function isForPerson({ method, headers: { accept }, route: { path, realm, settings } }: Request): boolean {
    const isForPeople = realm.plugin === 'site' || path === '/{path*}' || settings.app?.forPeople === true;
    return isForPeople && (method === 'get' || method === 'head') && typeof accept === 'string' && typeOf(accept) === 'text/html';
}

function typeOf(accept: string): string | undefined {
    try {
        return mediaType(accept, ['application/json', 'text/html']);
    }
    catch {
        // It is malformed.
        return undefined;
    }
}

/** A path with a query, as browsers write it when they send a form. */
function addressOf(path: string, query: object): string {
    const fields = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)])).toString();
    return fields === '' ? path : `${path}?${fields}`;
}
