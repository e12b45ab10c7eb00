import { startPeer } from './peers';

/** A process with one peer. Arguments: kind, pool size, file with the response body, or folder with files. It sends its port to its parent, and ends with it. */
const [kind = '', pool = '10', path = ''] = process.argv.slice(2);

process.on('disconnect', () => process.exit());
void startPeer(kind, process.env.DATABASE_URL ?? '', Number(pool), path).then((port) => process.send?.(port));
