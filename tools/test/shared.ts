import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { root } from '../../test/support/program';
import { makeRsaKeys } from '../../test/support/rsa-keys';
import type { Shared } from '../../test/support/runner';

// These load all of src, which takes a second, and TypeScript's `import()` does not load TypeScript.
/* eslint-disable no-restricted-syntax */
const database = (): typeof import('../../test/support/database') => require('../../test/support/database');
const product = (): typeof import('../../test/support/product') => require('../../test/support/product');
/* eslint-enable no-restricted-syntax */

const buildUpTo = (step: string): Promise<null> => promisify(execFile)(process.execPath, ['tools/build.js', step], { cwd: root }).then(() => null);

/** Creates what test files share, each thing on the first request. */
export class SharedThings {
    readonly #made = new Map<keyof Shared, Promise<unknown>>();
    #stopService: () => Promise<void> = () => Promise.resolve();

    readonly #makers: { readonly [Name in keyof Shared]: () => Promise<Shared[Name]> } = {
        // One after the other, because both would build the client.
        build: () => this.make('client').then(() => buildUpTo('site')),
        client: () => buildUpTo('client'),
        rsaKeys: makeRsaKeys,
        engine: () => database().engine(),
        product: async () => {
            await this.make('build');
            const { url, log, stop } = await product().startService();
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
        if (this.#made.has('engine')) {
            await database().dropTemplate();
        }
    }
}
