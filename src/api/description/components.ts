import type { Components } from './schemas';

/** Components that operations share, by their names. */
export interface Shared {
    schemas: Components;
    responses: Record<string, object>;
    parameters: Record<string, object>;
}
