import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { readConfig } from '../../src/config/index';
import { build } from '../support/program';
import { mailSettings } from '../support/mail-server';
import { startProvider } from '../support/provider';
import { startTestServer } from '../support/server';

export const lab = script();

lab.experiment('The pages of accounts', () => {

    lab.before(() => build());

    /** The start of the part that the script fills in. */
    const root = async (config: NonNullable<Parameters<typeof startTestServer>[0]>['config']): Promise<string> => {
        const server = await startTestServer({ config: { site: readConfig({}).site, mail: null, ...config } });
        try {
            return String(/<div id="root"[^]*?"(?=>)/.exec((await server.call('GET', '/sign-up')).text));
        }
        finally {
            await server.stop();
        }
    };

    lab.test('say who may open an account, whether everybody can teach, and whether there is mail', async () => {
        expect(await root({})).to.equal('<div id="root" translate="no" data-sign-up="open"');
        expect(await root({ signUp: 'invite' })).to.equal('<div id="root" translate="no" data-sign-up="invite"');
        expect(await root({ teachers: 'open' })).to.equal('<div id="root" translate="no" data-sign-up="open" data-teachers="open"');
        expect(await root({ mail: mailSettings })).to.equal('<div id="root" translate="no" data-sign-up="open" data-mail="on"');
    });

    lab.test('have the rules of the place, as text', async () => {
        const { site } = readConfig({ SITE_RULES: 'Be <kind>.\n"Ask" first.' });
        expect(await root({ site })).to.equal('<div id="root" translate="no" data-sign-up="open" data-rules="Be &lt;kind>.\n&quot;Ask&quot; first."');
    });

    lab.test('say that a request of an app has expired, or was begun elsewhere', async () => {
        const server = await startTestServer({ config: { site: readConfig({}).site } });
        const { status, text } = await server.call('GET', '/oauth/auth/begun-elsewhere', undefined, { headers: { accept: 'text/html' } });
        expect(status).to.equal(400);
        expect(text).to.include(['has expired, or was begun in another browser', 'invalid_request']);
        await server.stop();
    });

    lab.test('name the identity provider', async () => {
        const provider = await startProvider('jwt');
        expect(await root({ auth: provider.settings() })).to.equal(`<div id="root" translate="no" data-sign-up="open" data-issuer="${provider.issuer}"`);
        await provider.stop();
    });
});
