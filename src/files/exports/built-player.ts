import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { parseLike } from '../../database/samples';
import type { FontFile } from './used-fonts';

/** The player as `npm run build` makes it for files: a script and styles that need nothing else. */
export interface BuiltPlayer {
    script: string;
    styles: string;
    fonts: readonly FontFile[];
    /** the Content-Security-Policy of a file: it runs this script, has these styles, and loads nothing that is not in it */
    policy: string;
    readFont(file: string): Promise<Buffer>;
}

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** The policy of a file with this script and these styles. */
const policyOf = (script: string, styles: string): string => [
    `default-src 'none'`, `script-src ${hashOf(script)}`, `style-src ${hashOf(styles)}`, `style-src-attr 'unsafe-inline'`, 'img-src data:', 'media-src data:', 'font-src data:',
    `base-uri 'none'`, `form-action 'none'`
].join('; ');

/** A player with further styles. */
export const withStyles = (player: BuiltPlayer, more: string): BuiltPlayer => ({ ...player, styles: player.styles + more, policy: policyOf(player.script, player.styles + more) });

let built: Promise<BuiltPlayer> | undefined;

/** Reads the built files when the first project is exported with them. */
export function builtPlayer(): Promise<BuiltPlayer> {
    built ??= read();
    return built;
}

async function read(): Promise<BuiltPlayer> {
    const place = require.resolve('#site/built.json');
    const inFolder = (name: string): string => join(dirname(place), name);
    const [script, styles, list] = await Promise.all([inFolder('file-player.js'), inFolder('file-player.css'), place].map((path) => readFile(path, 'utf8')));
    const { fonts } = parseLike<Pick<BuiltPlayer, 'fonts'>>(String(list), { fonts: [] });
    return { script: String(script), styles: String(styles), fonts, policy: policyOf(String(script), String(styles)), readFont: (file) => readFile(join(dirname(place), 'made', file)) };
}
