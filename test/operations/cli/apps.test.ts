import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { run } from '../../../src/operations/cli/main';
import { registerApp } from '../../support/apps';
import type { TestApp } from '../../support/apps';
import { count } from '../../support/authoring';
import { fakeHost } from '../../support/host';
import type { FakeHost } from '../../support/host';
import { startTestServer } from '../../support/server';
import type { Actor, TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

describe('the command for apps', () => {
    let test: TestServer;
    let host: FakeHost;
    let ada: Actor;
    let app: TestApp;

    before(async () => {
        test = await startTestServer();
        ada = await test.open('ada');
        app = await registerApp(test, ada);
    });

    after(() => test.stop());

    const admin = (...argv: string[]): Promise<number> => {
        host = fakeHost({ DATABASE_URL: test.database.url });
        return run(argv, host);
    };

    it('shows an app, trusts it, and takes that back', async () => {
        const line = (trusted: string): string => `${app.id}\tKitchen editor\thttps://editor.example\tada\t${trusted}\t0`;
        expect(await admin('app', 'Kitchen editor')).to.equal(0);
        expect(host.out).to.contain(line('not trusted'));
        expect(await admin('app', app.id, '--trusted')).to.equal(0);
        expect(await admin('app', app.id)).to.equal(0);
        expect(host.out).to.contain(line('trusted'));
        expect(await admin('app', 'Kitchen editor', '--not-trusted')).to.equal(0);
        expect(await count(test, 'from apps where trusted')).to.equal(0);
    });

    it('says what is wrong', async () => {
        expect(await admin('app')).to.equal(2);
        expect(await admin('app', 'Nothing')).to.equal(1);
        expect(await admin('app', app.id, '--trusted', '--delete')).to.equal(2);
        const twin = await registerApp(test, ada);
        expect(await admin('app', 'Kitchen editor', '--trusted')).to.equal(1);
        expect(await admin('app', twin.id, '--delete', '--yes')).to.equal(0);
    });

    it('deletes one only with --yes, also one that registered itself', async () => {
        expect(await admin('app', app.id, '--delete')).to.equal(4);
        expect(await count(test, 'from apps')).to.equal(1);
        expect(await admin('app', app.id, '--delete', '--yes')).to.equal(0);
        expect(await count(test, 'from apps')).to.equal(0);
        await test.database.db.raw(`insert into apps (name, url, redirect_uris) values ('By itself', 'https://a.example', '{https://a.example/}')`);
        expect(await admin('app', 'By itself')).to.equal(0);
        expect(host.out).to.contain('\t-\tnot trusted\t0');
        await registerApp(test, ada, { name: 'By itself' });
        expect(await admin('app', 'By itself', '--delete', '--yes')).to.equal(1);
        expect(host.err).to.contain('\t-\thttps://a.example\n').and.to.contain('\tada\thttps://editor.example');
        expect(await count(test, 'from apps')).to.equal(2);
    });
});
