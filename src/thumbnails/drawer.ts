import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import type { PageToDraw } from './draw';

/** Most milliseconds for one page. Ordinary pages take far less. */
const LONGEST = 10_000;

/** Fonts of the system first, then those of a package, as small containers have few fonts. */
const fontsFile = (folder: string): string => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
<include ignore_missing="yes">/etc/fonts/fonts.conf</include>
<dir>/System/Library/Fonts</dir><dir>/Library/Fonts</dir>
<dir>${dirname(require.resolve('dejavu-fonts-ttf/package.json'))}/ttf</dir>
<cachedir>${folder}</cachedir>
<alias><family>system-ui</family><prefer><family>sans-serif</family></prefer></alias>
<alias><family>sans-serif</family><default><family>DejaVu Sans</family></default></alias>
<alias><family>serif</family><default><family>DejaVu Serif</family></default></alias>
<alias><family>monospace</family><default><family>DejaVu Sans Mono</family></default></alias>
</fontconfig>
`;

/** Draws pages in a process of its own, which is started when it is needed. */
export interface Drawer {
    /** One page at a time. @returns WebP; undefined if it cannot be drawn, or not in time */
    draw(page: PageToDraw): Promise<Buffer | undefined>;
    /** Ends the process until there is something to draw again. */
    rest(): Promise<void>;
}

/** @param program what the process runs */
export function pageDrawer(program = join(__dirname, 'draw-process.js'), longest = LONGEST): Drawer {
    let started: { child: ChildProcess; folder: string } | undefined;

    const start = async (): Promise<ChildProcess> => {
        const folder = await mkdtemp(join(tmpdir(), 'pagewright-fonts-'));
        const conf = join(folder, 'fonts.conf');
        await writeFile(conf, fontsFile(folder));
        // It does not get the settings, as they have passwords, nor options of Node.js for debuggers and workers.
        const child = fork(program, [folder], { serialization: 'advanced', stdio: ['ignore', 'ignore', 'ignore', 'ipc'], execArgv: ['--max-old-space-size=256'], env: { FONTCONFIG_FILE: conf, PATH: process.env.PATH } });
        started = { child, folder };
        return child;
    };

    const rest = async (): Promise<void> => {
        const ending = started;
        started = undefined;
        if (ending !== undefined) {
            ending.child.kill('SIGKILL');
            await rm(ending.folder, { recursive: true, force: true });
        }
    };

    return {
        draw: async (page) => {
            const child = started?.child ?? await start();
            const picture = await new Promise<Buffer | undefined>((resolve) => {
                const timer = setTimeout(resolve, longest, undefined);
                const end = (answer?: unknown): void => {
                    clearTimeout(timer);
                    const found: unknown = Reflect.get(Object(answer), 'picture');
                    resolve(found instanceof Uint8Array ? Buffer.from(found) : undefined);
                };

                for (const event of ['message', 'error', 'exit']) {
                    child.removeAllListeners(event).on(event, end);
                }

                child.send(page);
            });
            if (picture === undefined) {
                await rest();
            }

            return picture;
        },
        rest
    };
}
