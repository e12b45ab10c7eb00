import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { checkProjectFile } from '../../../src/files/imports/check';

export const lab = Lab.script();
const { describe, it } = lab;

describe('The check of an imported file', () => {
    it('ends when its client leaves, also within one long text', async () => {
        const gone = new AbortController();
        let read = 0;
        const file = {
            name: 'project.json',
            size: 2_000_000,
            async *read(): AsyncGenerator<Buffer> {
                await Promise.resolve();
                yield Buffer.from('{"title":"');
                for (; read < 1000; ++read) {
                    if (read === 2) {
                        gone.abort(new Error('The client has left'));
                    }

                    yield Buffer.alloc(2000, 'a');
                }
            }
        };
        await expect(checkProjectFile(file, gone.signal)).to.reject('The client has left');
        expect(read).to.equal(2);
    });
});
