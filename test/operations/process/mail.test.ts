import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { run } from '../../../src/operations/main';
import { emptyDatabase } from '../../support/database';
import type { TestDatabase } from '../../support/database';
import { fakeHost, until } from '../../support/host';
import type { FakeHost } from '../../support/host';
import { keyIn, startMailServer } from '../../support/mail-server';
import type { MailServer } from '../../support/mail-server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const urlIn = ({ out }: FakeHost): string => out.split('\n').filter(Boolean).map((line): { url?: string; msg?: string } => JSON.parse(line)).find(({ msg }) => msg === 'listening')?.url ?? '';

describe('a service with SMTP_URL', () => {
    let database: TestDatabase;
    let mails: MailServer;
    let folder: string;

    before(async () => {
        database = await emptyDatabase();
        mails = await startMailServer();
        folder = mkdtempSync(join(tmpdir(), 'pagewright-mail-'));
    });

    after(async () => {
        await mails.stop();
        await database.drop();
        rmSync(folder, { recursive: true });
    });

    it('sends mails with links to PUBLIC_URL, whatever host a request names, and logs no address and no key', async () => {
        const host = fakeHost({
            DATABASE_URL: database.url, DATA_DIR: folder, PORT: '0', THUMBNAILS: 'off', LOG_LEVEL: 'trace', PUBLIC_URL: 'https://pages.example', MAIL_FROM: 'Our pages <pages@pages.example>', SMTP_URL: `smtp://127.0.0.1:${mails.port}?requireTLS=false`
        });
        await run(host);
        const call = async (method: string, path: string, body: object, token = ''): Promise<{ code?: string; token?: { access_token: string } }> => {
            const response = await fetch(urlIn(host) + path, { method, body: JSON.stringify(body), headers: { 'Content-Type': 'application/json', 'X-Forwarded-Host': 'evil.example', ...token !== '' && { Authorization: `token ${token}` } } });
            return response.json();
        };

        const { token: { access_token: token } = { access_token: '' } } = await call('POST', '/users', { username: 'ada', password: 'correct horse battery' });
        await call('PUT', '/users/me/address', { address: 'ada@secret.example', current_password: 'correct horse battery' }, token);
        await until(() => mails.received.length === 1);
        const key = keyIn(mails.received[0] ?? { text: '' });
        expect(mails.received[0]?.text).to.include(`https://pages.example/account/confirm#${key}`);
        await call('POST', '/users/me/address/confirmations', { key }, token);
        await call('POST', '/new-passwords/mails', { account: 'ada@secret.example' });
        await until(() => mails.received.length === 2);
        const second = keyIn(mails.received[1] ?? { text: '' });
        expect(mails.received[1]?.text).to.include(`https://pages.example/new-password#${second}`);
        expect(await call('POST', '/new-passwords', { key: second, password: 'another password' })).to.include({ status: 'updated' });
        expect(await call('POST', '/tokens', { username: 'ada', password: 'another password' })).to.include({ status: 'created' });
        host.events.emit('SIGTERM', 'SIGTERM');
        await until(() => host.exits.length > 0);
        expect(host.exits).to.equal([0]);
        expect(host.out + host.err).to.not.include(['secret.example']).and.to.not.include([key]).and.to.not.include([second]).and.to.not.include('evil');
    });
});
