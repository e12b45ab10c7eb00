import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const gc: () => void = runInNewContext('gc');
setFlagsFromString('--no-expose-gc');

/** Collects garbage. Twice, as what was made while V8 was marking anyway stays until the next time. */
export function collectGarbage(): void {
    gc();
    gc();
}

/** Bytes of the heap that are in use, without garbage. */
export function heapUsed(): number {
    collectGarbage();
    return process.memoryUsage().heapUsed;
}
