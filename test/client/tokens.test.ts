import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import type { Pagewright } from '../support/client';
import { root } from '../support/program';

export const lab = Lab.script();
const { before, describe, it } = lab;

/** The path with the most parameters of those that need a token. All are asked for as if they were it. */
type Guarded = '/users/{user}/projects/{project}/history/{revision}';

describe('the client and the token', () => {
    let pagewright: Pagewright;

    before(async () => {
        pagewright = await import('../../client/dist/pagewright.js');
    });

    /** Whether the first request to a path has the token. */
    async function isSent(path: Guarded): Promise<boolean> {
        const sent: boolean[] = [];
        const session = JSON.stringify({ token: 'secret', tokenId: '1', user: { id: '1', username: 'ada' } });
        const store = { getItem: () => session, setItem: () => undefined, removeItem: () => undefined };
        const { api } = pagewright.createClient('http://127.0.0.1', { store, fetch: ({ headers }) => {
            sent.push(headers.get('authorization') === 'token secret');
            return Promise.resolve(Response.json({}));
        } });
        await api.GET(path, { params: { path: { user: '7', project: '7', revision: '7' } } });
        return sent[0] === true;
    }

    it('sends it at once to all that needs one, as openapi.json says', async () => {
        const { paths }: { paths: Record<string, { get?: { security?: object[] } }> } = JSON.parse(readFileSync(join(root, 'openapi.json'), 'utf8'));
        const isGuarded = (path: string): path is Guarded => {
            const security = paths[path]?.get?.security ?? [];
            return security.length > 0 && security.every((each) => Object.keys(each).length > 0);
        };

        const isOpen = (path: string): path is Guarded => paths[path]?.get?.security?.length === 0;
        const guarded = Object.keys(paths).filter(isGuarded);
        expect(guarded).to.include(['/tokens', '/users/{user}/trash']);
        for (const path of guarded) {
            expect(await isSent(path), path).to.be.true();
        }

        // A collection may be its owner's alone.
        for (const path of Object.keys(paths).filter(isOpen)) {
            expect(await isSent(path), path).to.equal(path.startsWith('/collections/'));
        }
    });
});
