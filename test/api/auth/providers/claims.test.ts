
import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { identityOf, RejectedToken } from '../../../../src/api/auth/providers/claims';
import { heapUsed } from '../../../support/heap';

export const lab = script();

lab.experiment('Claims of a provider', () => {

    const config = { issuer: 'https://a.example', audience: 'b', scopes: { user: 'user', projects: 'projects' }, leeway: 0, timeout: 1000 };

    lab.test('take no more memory than the parts that are used, however long they are', () => {
        const start = heapUsed();
        const kept = Array.from({ length: 50 }, (_value, n) => {
            const text = JSON.stringify({ aud: 'b', sub: `s${n}`, scope: 'user', preferred_username: `${n}${'n'.repeat(200_000)}`, locale: `${n}${'l'.repeat(200_000)}` });
            return identityOf(JSON.parse(text), config, Date.now());
        });
        expect(heapUsed() - start).to.be.below(2 * 1024 * 1024);
        expect(kept.map((identity) => 'username' in identity && identity.username.length)).to.equal(kept.map(() => 256));

        // Nor does the cached answer about a rejected token.
        const refused = Array.from({ length: 50 }, (_value, n) => identityOf(JSON.parse(JSON.stringify({ sub: 's', aud: `${n}${'a'.repeat(200_000)}` })), config, Date.now()));
        expect(heapUsed() - start).to.be.below(2 * 1024 * 1024);
        expect(refused.every((refusal) => refusal instanceof RejectedToken && refusal.reason.length < 400)).to.be.true();
    });
});
