import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { dropTemplate, engine } from '../../test/support/database';
import { startService } from '../../test/support/product';
import { build, root } from '../../test/support/program';
import type { Shared } from '../../test/support/runner';

/** Creates what test files share, each thing on the first request. */
export class SharedThings {
    readonly #made = new Map<keyof Shared, Promise<unknown>>();
    #stopService: () => Promise<void> = () => Promise.resolve();

    readonly #makers: { readonly [Name in keyof Shared]: () => Promise<Shared[Name]> } = {
        build: () => build().then(() => null),
        client: () => promisify(execFile)('npm', ['run', '--silent', 'client'], { cwd: root }).then(() => null),
        engine,
        product: async () => {
            const { url, log, stop } = await startService();
            this.#stopService = stop;
            return { url, log };
        }
    };

    readonly make = (name: keyof Shared): Promise<unknown> => {
        const made = this.#made.get(name) ?? this.#makers[name]();
        this.#made.set(name, made);
        return made;
    };

    /** Ends the service; an embedded engine ends with this process. */
    async stop(): Promise<void> {
        await this.#made.get('product')?.catch(() => undefined);
        await this.#stopService();
        await dropTemplate();
    }
}
