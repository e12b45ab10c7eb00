import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import type { FilePool } from '../assets/file-work';
import { fonts, lastFont } from '../../../client/src/render/fonts';
import { processPool } from '../../api/concurrency/process-pool';
import type { Task } from './perform';

/** Most milliseconds for one task. Ordinary ones take far less. */
const LONGEST = 10_000;

const aliases = fonts.flatMap(({ family, named }) => (named === undefined ? [] : [`<alias binding="same"><family>${family}</family><prefer><family>${named}</family></prefer></alias>`])).join('\n');

/** The fonts of the system, and those of the site, the last of which is for what others lack, as small containers have few fonts. */
const fontsFile = (folder: string): string => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
<include ignore_missing="yes">/etc/fonts/fonts.conf</include>
<dir>/System/Library/Fonts</dir><dir>/Library/Fonts</dir>
<dir>${join(dirname(require.resolve('#site/built.json')), 'fonts')}</dir>
<cachedir>${folder}</cachedir>
${aliases}
<alias><family>system-ui</family><prefer><family>sans-serif</family></prefer></alias>
<alias><family>sans-serif</family><default><family>${lastFont.family}</family></default></alias>
</fontconfig>
`;

/** The processes that read pictures and other files, and draw pages. @param program what they run @param starter as `processPool` takes it */
export function filePool(program = join(__dirname, 'file-process.js'), longest = LONGEST, starter?: string): FilePool<Task> {
    return processPool({
        longest,
        starter,
        prepare: async () => {
            const folder = await mkdtemp(join(tmpdir(), 'pagewright-fonts-'));
            const conf = join(folder, 'fonts.conf');
            await writeFile(conf, fontsFile(folder));
            // One arena of the C library: memory that decoders free is used again, not kept by each of their threads.
            return { program, args: [folder], env: { FONTCONFIG_FILE: conf, PATH: process.env.PATH, MALLOC_ARENA_MAX: '1' }, remove: () => rm(folder, { recursive: true, force: true }) };
        }
    });
}
