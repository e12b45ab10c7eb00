import { readFileSync } from 'node:fs';

import { startPeer } from './peers';

/** A process with one peer. Arguments: kind, pool size, file with the response body. It sends its port to its parent, and ends with it. */
const [kind = '', pool = '10', bytes = ''] = process.argv.slice(2);

process.on('disconnect', () => process.exit());
void startPeer(kind, process.env.DATABASE_URL ?? '', Number(pool), readFileSync(bytes, 'utf8')).then((port) => process.send?.(port));
