import { readFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';

import { parseLike } from '../database/samples';
import { version } from '../api/description/version';
import { defined } from '../api/errors/defined';
import { sharedResponse, tagOf } from '../api/request/shared-responses';
import type { SharedResponse } from '../api/request/shared-responses';
import { accentStyles } from './colors';
import { readLogo } from './logo';
import { readPlaceTexts } from './place-texts';
import type { PlaceText } from './place-texts';
import type { SiteConfig } from '../config/site';

/** A script or style of the site, by its name with a hash in it. */
interface Entry {
    file: string;
    /** the styles that come with a script, if any do */
    css: string[];
    /** the files that a script loads at once */
    imports: string[];
}

/** The files that pages load: those of `entries` in web/build.js. */
export type EntryName = 'web/page.ts' | 'web/announcements.ts' | 'web/player/main.tsx' | 'web/player/embed.ts' | 'web/editor/main.tsx'
    | 'web/account/main.tsx' | 'web/moderation/main.tsx' | 'web/admin/main.tsx' | 'web/classes/main.tsx'
    | 'web/consent/main.tsx' | 'web/people/person.ts' | 'web/people/feed.tsx' | 'web/style.css';

/** A picture that stands for the site where it is installed. */
interface Icon {
    file: string;
    /** such as `192x192` */
    sizes: string;
    /** `maskable` if systems may cut it to the shape of theirs */
    purpose: 'any' | 'maskable';
}

interface Built {
    entries: Record<EntryName, Entry>;
    /** files of texts by language */
    languages: Record<string, string>;
    files: string[];
    icons: Icon[];
}

const types: Readonly<Record<string, string>> = { js: 'text/javascript; charset=utf-8', css: 'text/css; charset=utf-8', json: 'application/json; charset=utf-8', woff2: 'font/woff2', png: 'image/png' };

/** The files that browsers load: those of `npm run build`, and the place's own. All of it is read at start: it is less than 5 MiB, most of it fonts. */
export interface BuiltFiles {
    entries: Readonly<Record<EntryName, Entry>>;
    /** by language, the texts and the name of their file */
    languages: ReadonlyMap<string, { file: string; texts: Record<string, string> }>;
    /** by name */
    files: ReadonlyMap<string, { type: string; response: SharedResponse }>;
    /** the picture of the place, if it has one */
    logo: { file: string; width: number | undefined; height: number | undefined } | undefined;
    /** the file with the colours of the place, if it has its own */
    colors: string | undefined;
    icons: readonly Icon[];
    /** the script of the service worker, without what it has to know of this place */
    worker: string;
    /** the texts of the operators, as HTML */
    placeTexts: ReadonlyMap<PlaceText, string>;
    /** differs from that of another release, whose pages may look different */
    release: string;
}

/** @throws if the site has not been built, or a file of the place cannot be used */
export async function readBuiltFiles(config: Pick<SiteConfig, 'logo' | 'color' | PlaceText>): Promise<BuiltFiles> {
    const { logo: path, color } = config;
    const place = require.resolve('#site/built.json');
    const built = parseLike<Built>(readFileSync(place, 'utf8'), { entries: {}, languages: {}, files: [''], icons: [] });
    const files = new Map(built.files.map((name) => {
        return [name, { type: defined(types[extname(name).slice(1)]), response: sharedResponse(readFileSync(join(dirname(place), 'made', name))) }] as const;
    }));
    const logo = path === null ? undefined : await readLogo(path);
    if (logo !== undefined) {
        files.set(logo.name, { type: logo.type, response: sharedResponse(logo.bytes) });
    }

    let colors: string | undefined;
    if (color !== null) {
        const response = sharedResponse(accentStyles(color));
        colors = `colors-${response.tag.slice(0, 8)}.css`;
        files.set(colors, { type: defined(types.css), response });
    }

    return {
        entries: built.entries,
        languages: new Map(Object.entries(built.languages).map(([language, file]) =>
            [language, { file, texts: JSON.parse(String(defined(files.get(file)).response.body)) }])),
        files,
        logo: logo && { file: logo.name, width: logo.width ?? undefined, height: logo.height ?? undefined },
        colors,
        icons: built.icons,
        worker: readFileSync(join(dirname(place), 'service-worker.js'), 'utf8'),
        placeTexts: await readPlaceTexts(config),
        release: tagOf(JSON.stringify([version, ...files.keys()]))
    };
}
