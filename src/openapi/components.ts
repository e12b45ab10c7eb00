import type { Components } from './schemas';

/** What operations share, each under the name it is referred to by. */
export interface Shared {
    schemas: Components;
    responses: Record<string, object>;
    parameters: Record<string, object>;
}
