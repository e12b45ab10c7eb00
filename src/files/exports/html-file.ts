import { parseLike } from '../../database/samples';
import { ownCopy } from '../../api/request/own-copy';
import type { Read } from '../../database/statements/snapshot';
import { MAX_LINKED } from '../../limits';
import type { Point } from '../../projects/history/queries';
import type { AssetStorage } from '../assets/storage';
import type { BuiltPlayer } from './built-player';
import { foundAssets, livePieces, noting, pointFile, projectFile } from './entries';
import { inParts } from './parts';
import type { Exported } from './queries';
import { UsedFonts } from './used-fonts';
import { escapedHtml } from '../../api/representations/escaped-html';

/** The frame of the player in a file of an archive, and where its links to other projects lead. */
export interface ArchiveFrame {
    language: string;
    direction: 'ltr' | 'rtl';
    /** HTML of the body before and after the player */
    before: string;
    after: string;
    /** the addresses of those of other projects that have one, by their ids */
    addressesOf(projects: readonly string[]): Promise<Readonly<Record<string, string>>>;
    /** the address of all others */
    missing: string;
}

/** Where a file is from, and the player that is in it. */
export interface From {
    /** the address of the service, to which links to other projects lead */
    origin: string;
    /** the name of the place */
    place: string;
    player: BuiltPlayer;
    /** of an archive; without it, the file has the player alone */
    frame?: ArchiveFrame;
}

/** JSON inside of a `script` element: nothing in it ends the element, or begins a comment. In JSON, `<` is only ever in a string. */
const inScript = (json: string): string => json.replaceAll('<', '\\u003c');

/** Bytes as base64, three by three. */
async function* base64(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
    let rest: Buffer = Buffer.alloc(0);
    for await (const chunk of chunks) {
        const bytes = Buffer.concat([rest, chunk]);
        const whole = bytes.length - bytes.length % 3;
        yield bytes.toString('base64', 0, whole);
        rest = bytes.subarray(whole);
    }

    yield rest.toString('base64');
}

/** The projects that links lead to, as attributes of elements have them. */
const targets = /"targetProjectId"\s*:\s*"?([1-9]\d{0,18})[",}\s]/g;

/** Characters before a part that are looked at together with it: more than anything has that is looked for. */
const BEFORE = 64;

/** Notes the letters and fonts of JSON that passes through, and at most so many projects that it links to. */
async function* noticing(used: UsedFonts, linked: Set<string>, mostLinked: number, parts: AsyncGenerator<string>): AsyncGenerator<string> {
    let before = '';
    for await (const part of parts) {
        const text = before + part;
        used.note(text);
        for (const [, id = ''] of linked.size < mostLinked ? text.matchAll(targets) : []) {
            linked.add(ownCopy(id));
        }

        before = text.slice(-BEFORE);
        yield part;
    }
}

/**
 * A project as one HTML file that plays it, as the player of the site does, and loads nothing: its pages are JSON in it, and its pictures,
 * sounds and fonts base64. It is made piece by piece, as the zip of an export is.
 * @param find finds the project, in the snapshot in which all of it is read
 * @throws ChangedWhileSent if it has changed
 */
export async function* htmlFile(read: Read, storage: AssetStorage, find: (read: Read) => Promise<Exported>, from: From): AsyncGenerator<string> {
    const found = await find(read);
    const { title } = parseLike<{ title: string }>(found.project, { title: '' });
    yield* htmlWith(read, storage, { title, json: projectFile(read, livePieces, found) }, from);
}

/** The file of a project as it was at a point. @param title of the file */
export const htmlFileAt = (read: Read, storage: AssetStorage, { project, point, title }: { project: string; point: Point; title: string }, from: From): AsyncGenerator<string> => (
    htmlWith(read, storage, { title, json: pointFile(read, project, point) }, from)
);

async function* htmlWith(read: Read, storage: AssetStorage, { title, json }: { title: string; json: AsyncGenerator<string> }, { origin, place, player, frame }: From): AsyncGenerator<string> {
    const { policy, styles, script, fonts } = player;
    yield `<!doctype html>
<html lang="${frame?.language ?? 'en'}"${frame === undefined ? '' : ` dir="${frame.direction}"`}>
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escapedHtml(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${escapedHtml(title)}</title>
<link rel="icon" href="data:,">
<style>${styles}</style>
</head>
<body${frame === undefined ? ' class="bare"' : ''}>
${frame?.before ?? ''}<div id="root" style="display:contents"><noscript><p class="message">${escapedHtml(title)}: JavaScript</p></noscript></div>${frame?.after ?? ''}
<script type="application/json" id="place">${inScript(JSON.stringify({ origin, name: place }))}</script>
<script type="application/json" id="project">`;
    const assets = new Set<string>();
    const used = new UsedFonts();
    const linked = new Set<string>();
    const parts = inParts(noting(assets, json));
    for await (const part of noticing(used, linked, frame === undefined ? 0 : MAX_LINKED, parts)) {
        yield inScript(part);
    }

    yield '</script>\n';
    if (frame !== undefined) {
        yield `<script type="application/json" id="linked">${inScript(JSON.stringify({ missing: frame.missing, projects: await frame.addressesOf([...linked].slice(0, MAX_LINKED)) }))}</script>\n`;
    }

    for await (const { hash, type, bytes } of foundAssets(read, storage, [...assets].sort())) {
        yield `<script type="text/plain" data-asset="${hash}" data-type="${type}">`;
        yield* base64(bytes);
        yield '</script>\n';
    }

    for (const { family, weight, letters, file } of used.of(fonts)) {
        yield `<script type="text/plain" data-family="${family}" data-weight="${weight}" data-letters="${letters}">${(await player.readFont(file)).toString('base64')}</script>\n`;
    }

    yield `<script>${script}</script>\n</body>\n</html>\n`;
}
