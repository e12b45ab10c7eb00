import { expect } from '@hapi/code';
import { script } from '@hapi/lab';
import { renderToString } from 'preact-render-to-string';

import { Face } from '../../src/site/face';

export const lab = script();

const drawn = (username: string): string => renderToString(Face({ username, size: 24 }));

lab.experiment('A face', () => {

    lab.test('is the same for a name at every time, in any case, and hidden from screen readers', () => {
        expect(drawn('Juniper')).to.equal(drawn('juniper'));
        expect(drawn('juniper')).to.startWith('<svg class="face"').and.to.contain('aria-hidden="true"').and.to.not.contain('undefined');
    });

    lab.test('is rarely that of another, and has every feature', () => {
        const names = Array.from({ length: 300 }, (_each, n) => `pupil-${n}`);
        const faces = names.map(drawn);
        expect(new Set(faces).size).to.be.above(280);
        expect(new Set(faces.join('').match(/fill="#[0-9a-f]{6}"/g)).size).to.equal(18);
    });

    lab.test('contains nothing of the name', () => {
        expect(drawn('"><script>')).to.not.contain('script');
    });
});
