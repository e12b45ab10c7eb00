/* A process that draws pages, one for each message, so that whatever is in one can be ended with the process. drawer.ts starts it, with a folder that is for it alone. */

// The tests start this as a process of its own, where coverage is not measured.
/* $lab:coverage:off$ */
import { rmSync } from 'node:fs';
import { setPriority } from 'node:os';

import sharp from 'sharp';

import { drawPage } from './draw';
import type { PageToDraw } from './draw';

setPriority(19);
// What pictures can be, and drawings: from memory alone, so that there is nothing beside them to read.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Heif', 'Svg'].map((format) => `VipsForeignLoad${format}Buffer`) });
sharp.concurrency(1);
sharp.cache(false);
process.on('message', (page: PageToDraw) => {
    void drawPage(page).then((picture) => process.send?.({ picture }), (error: unknown) => process.send?.({ error: String(error) }));
});
process.on('disconnect', () => {
    // The service was killed, and cannot remove it.
    const [, , folder] = process.argv;
    if (folder !== undefined) {
        rmSync(folder, { recursive: true, force: true });
    }

    process.exit(0);
});
/* $lab:coverage:on$ */
