import { readFileSync } from 'node:fs';

import { startPeer } from './peers';

/** A process with one peer in it: kind, size of its pool, and the file of what it answers. It tells its port, and ends with its parent. */
const [kind = '', pool = '10', bytes = ''] = process.argv.slice(2);

process.on('disconnect', () => process.exit());
void startPeer(kind, process.env.DATABASE_URL ?? '', Number(pool), readFileSync(bytes, 'utf8')).then((port) => process.send?.(port));
