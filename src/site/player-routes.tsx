import type { ResponseObject } from '@hapi/hapi';
import Joi from 'joi';
import { Fragment } from 'preact';
import type { JSX } from 'preact';
import { renderToString } from 'preact-render-to-string';

import { pageHeight, pageWidth } from '../../client/src/render';
import { notFound } from '../api/errors/errors';
import { originFor } from '../api/request/path';
import { idPattern } from '../api/request/schema';
import type { PageContext } from './context';
import { Comments } from './conversation';
import { Document } from './document';
import type { Site } from './pages';
import { EmbeddedPlayer, Player, Publish } from './player';
import { findContents, findPlayable } from './queries';
import type { PageContents, Playable } from './queries';
import { titleIn } from './shown';
import type { ShownProject } from './shown';
import { posterOf, thumbnailOf } from './thumbnail';

const id = Joi.string().pattern(idPattern);
const params = Joi.object({ project: id, page: id });

/** Size in pixels of a project in a frame of another site: a page, the links to other pages, and the caption. */
const FRAME = { width: pageWidth, height: pageHeight + 120 };

/** The metadata in the head of a listed project for other sites and crawlers, as OpenGraph and oEmbed define it. */
function Described({ page: { origin, place, language, t }, project }: { page: PageContext; project: ShownProject }): JSX.Element {
    const address = `${origin}/p/${project.id}`;
    const [title, poster] = [titleIn(t, project.title), posterOf(project)];
    const facts = [
        ['og:type', 'article'], ['og:site_name', place.name], ['og:title', title], ['og:url', address], ['og:description', project.description], ['og:locale', language],
        ...poster === undefined ? [] : [
            ['og:image', `${origin}${poster.path}`], ['og:image:type', poster.type], ['og:image:width', String(poster.width)], ['og:image:height', String(poster.height)], ['og:image:alt', title]
        ]
    ];
    return (
        <>
            <link rel="canonical" href={address} />
            <link rel="alternate" type="application/json+oembed" href={`${origin}/oembed?url=${encodeURIComponent(address)}`} title={title} />
            <meta name="description" content={project.description} />
            <meta name="author" content={project.author.username} />
            <meta name="twitter:card" content={poster === undefined ? 'summary' : 'summary_large_image'} />
            {facts.map(([property, content]) => <meta key={property} property={property} content={content} />)}
        </>
    );
}

/** The routes of the player, of the player in frames, and of oEmbed. */
export function playerRoutes({ server, built, config, db, options, respondKept }: Site): void {
    const player = (page: PageContext, { project, listed, source }: Playable, contents: PageContents): JSX.Element => (
        <Document page={page} built={built} title={titleIn(page.t, project.title)} script="web/player/main.tsx" unlisted={!listed} head={listed ? <Described page={page} project={project} /> : <Fragment />}>
            <Player page={page} project={project} source={source} publish={project.visibility !== 'public' && <Publish page={page} visibility={project.visibility} />} {...contents} />
            <Comments page={page} project={project} {...contents} />
        </Document>
    );
    const embedded = (page: PageContext, { project }: Playable, contents: PageContents): JSX.Element => (
        <Document page={page} built={built} title={titleIn(page.t, project.title)} script="web/player/embed.ts" embedded unlisted>
            <EmbeddedPlayer page={page} project={project} {...contents} />
        </Document>
    );

    for (const [path, show, app] of [['/p/{project}/{page?}', player, {}], ['/p/{project}/embed', embedded, { frames: '*' }], ['/p/{project}/{page}/embed', embedded, { frames: '*' }]] as const) {
        server.route<{ Params: { project: string; page?: string } }>({
            method: 'GET',
            path,
            options: options('page', params.fork('project', (schema) => schema.required()), {}, app),
            handler: (request, h) => respondKept(h, request, async () => {
                const found = await findPlayable(db, request.params.project, request.params.page ?? null);
                return found && {
                    state: found,
                    make: async (page) => {
                        const contents = await findContents(db, found.project.id, found.page);
                        return contents && show(page, found, contents);
                    }
                };
            })
        });
    }

    server.route<{ Query: { url: string; maxwidth: number; maxheight: number } }>({
        method: 'GET',
        path: '/oembed',
        options: {
            app: { cost: 'cheap' },
            validate: {
                query: Joi.object({
                    url: Joi.string().max(2048).required(),
                    format: Joi.valid('json'),
                    maxwidth: Joi.number().integer().min(1).prefs({ convert: true }).default(FRAME.width),
                    maxheight: Joi.number().integer().min(1).prefs({ convert: true }).default(FRAME.height)
                }).options({ stripUnknown: true })
            }
        },
        handler: async (request, h): Promise<ResponseObject> => {
            const { url, maxwidth, maxheight } = request.query;
            const origin = originFor(request, config);
            const project = url.startsWith(`${origin}/`) ? /^\/p\/([1-9]\d{0,18})(?:[/?#]|$)/.exec(url.slice(origin.length))?.[1] : undefined;
            const found = project !== undefined && idPattern.test(project) ? await findPlayable(db, project, null) : undefined;
            if (!found?.listed) {
                throw notFound('project');
            }

            return h.response(oembedOf(found.project, origin, String(config.site?.name), { width: Math.min(FRAME.width, maxwidth), height: Math.min(FRAME.height, maxheight) }));
        }
    });
}

/** A response as https://oembed.com section 2.3 defines it. */
function oembedOf(project: ShownProject, origin: string, name: string, size: typeof FRAME): object {
    const { id: number, title, author: { username } } = project;
    const thumbnail = thumbnailOf(project)?.path;
    return {
        version: '1.0', type: 'rich', title, author_name: username, author_url: `${origin}/u/${encodeURIComponent(username)}`, provider_name: name, provider_url: origin, ...size,
        html: renderToString(<iframe src={`${origin}/p/${number}/embed`} width={size.width} height={size.height} title={title} style="border:0" loading="lazy" allowFullScreen />),
        ...thumbnail === undefined ? {} : { thumbnail_url: `${origin}${thumbnail}`, thumbnail_width: 320, thumbnail_height: 480 }
    };
}
