import { createServer } from 'node:net';
import type { Server, Socket } from 'node:net';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { smtp } from '../../../src/api/outgoing/smtp';
import type { Mail, Sent, SmtpOptions } from '../../../src/api/outgoing/smtp';
import { selfSigned } from '../../support/certificate';
import { expectQuick } from '../../support/clock';
import { listen } from '../../support/host';
import { mailTo, startMailServer } from '../../support/mail-server';
import type { MailServer } from '../../support/mail-server';

export const lab = Lab.script();
const { afterEach, describe, it } = lab;

const mail: Mail = { to: 'ada@mail.example', subject: 'Hello', text: 'A line\n.\n.line\n', language: 'en' };

describe('a mail', () => {
    const stops: (() => unknown)[] = [];
    const certificate = selfSigned('localhost');

    afterEach(async () => {
        await Promise.all(stops.splice(0).map((stop) => stop()));
    });

    const start = async (...options: Parameters<typeof startMailServer>): Promise<MailServer> => {
        const server = await startMailServer(...options);
        stops.push(() => server.stop());
        return server;
    };

    const send = ({ port }: { port: number }, server: Partial<SmtpOptions['server']> = {}, more: Partial<SmtpOptions> = {}, one: Mail = mail, ending = new AbortController().signal): Promise<Sent> => {
        return smtp({ ...mailTo({ port }, server), timeout: 5000, ...more })(one, ending);
    };

    /** A server that answers each line with what the function says; the greeting is for an empty one. */
    const answering = async (answer: (line: string, socket: Socket) => string | undefined): Promise<{ port: number; lines: string[] }> => {
        const lines: string[] = [];
        const sockets = new Set<Socket>();
        const server: Server = createServer((socket) => {
            sockets.add(socket);
            let isMail = false;
            const say = (line: string): void => {
                // The lines of a mail are not answered.
                const text = isMail && line !== '.' ? undefined : answer(line, socket);
                isMail = line === 'DATA' || (isMail && line !== '.');
                if (text !== undefined) {
                    socket.write(`${text}\r\n`);
                }
            };

            socket.on('error', () => undefined).on('data', (bytes) => String(bytes).split('\r\n').filter(Boolean).forEach((line) => {
                lines.push(line);
                say(line);
            }));
            say('');
        });
        stops.push(() => {
            sockets.forEach((socket) => socket.destroy());
            server.close();
        });
        return { port: await listen(server), lines };
    };

    it('arrives as it is, without the name of this machine', async () => {
        const server = await start();
        expect(await send(server)).to.equal({ state: 'sent' });
        const [received] = server.received;
        expect(received?.text).to.equal(mail.text);
        expect([received?.from, received?.to, received?.headers.get('subject'), received?.headers.get('content-language')]).to.equal(['pages@pages.example', ['ada@mail.example'], 'Hello', 'en']);
        expect(received?.session.hostNameAppearsAs).to.equal('pages.example');
        expect(received?.session.secure).to.be.false();
        await send(server, {}, {}, { ...mail, subject: 'Новый пароль', text: 'كلمة مرور\n' });
        expect([server.received[1]?.headers.get('subject'), server.received[1]?.text]).to.equal(['Новый пароль', 'كلمة مرور\n']);
    });

    it('goes over no connection that is not encrypted, unless that is allowed', async () => {
        const plain = await start();
        expect(await send(plain, { requireTls: true })).to.include({ state: 'failed', code: 'ETLS' });
        expect(plain.received).to.equal([]);
        const encrypted = await start(certificate);
        const host = 'localhost';
        // A certificate that nobody knows.
        expect(await send(encrypted, { host, requireTls: true })).to.include({ state: 'failed' });
        // One of another host.
        expect(await send(encrypted, { requireTls: true }, { ca: certificate.cert })).to.include({ state: 'failed' });
        expect(encrypted.received).to.equal([]);
        expect(await send(encrypted, { host, requireTls: true }, { ca: certificate.cert })).to.equal({ state: 'sent' });
        // What is not required is still used where it is offered.
        expect(await send(encrypted)).to.equal({ state: 'sent' });
        const closed = await start({ ...certificate, secure: true });
        expect(await send(closed, { host, isEncrypted: true, requireTls: true })).to.include({ state: 'failed' });
        expect(await send(closed, { host, isEncrypted: true, requireTls: true }, { ca: certificate.cert })).to.equal({ state: 'sent' });
        expect([...encrypted.received, ...closed.received].map(({ session }) => session.secure)).to.equal([true, true, true]);
    });

    it('is sent with the name and the password of the settings, which nobody sees', async () => {
        const seen: unknown[] = [];
        const server = await start({
            ...certificate, authOptional: false, onAuth: ({ username, password }, _session, callback) => {
                seen.push([username, password]);
                callback(null, password === 'right' ? { user: username } : {});
            }
        });
        const given = (pass: string): Partial<SmtpOptions['server']> => ({ host: 'localhost', requireTls: true, auth: { user: 'me', pass } });
        expect(await send(server, given('right'), { ca: certificate.cert })).to.equal({ state: 'sent' });
        expect(await send(server, given('wrong'), { ca: certificate.cert })).to.equal({ state: 'failed', code: 'EAUTH', status: 535 });
        expect(seen).to.equal([['me', 'right'], ['me', 'wrong']]);
    });

    it('has no header and no recipient but its own', async () => {
        const server = await start();
        for (const wrong of [
            { ...mail, subject: 'Hello\r\nBcc: bea@mail.example\r\n\r\nNews' }, { ...mail, language: 'en\r\nBcc: bea@mail.example' }, { ...mail, text: '\r\n.\r\nMAIL FROM:<x@y.example>\r\n' },
            { ...mail, to: 'ada@mail.example, bea@mail.example' }, { ...mail, to: 'ada@mail.example>\r\nRCPT TO:<bea@mail.example' }, { ...mail, to: 'ada@mail.example\r\nBcc: bea@mail.example' }
        ]) {
            await send(server, {}, {}, wrong);
        }

        expect(server.received).to.have.length(3);
        for (const { to, headers } of server.received) {
            expect(to.filter((address) => address.startsWith('bea'))).to.equal([]);
            expect(headers.has('bcc')).to.be.false();
        }

        expect(server.received.map(({ from }) => from)).to.equal(server.received.map(() => 'pages@pages.example'));
    });

    it('is given up for a while if the server hangs, floods, or says what it should not, at any time', async () => {
        const hello = (line: string): string | undefined => (line === '' ? '220 here' : line.startsWith('EHLO') ? '250 here' : '250 yes');
        const wrong: Record<string, (line: string, socket: Socket) => string | undefined> = {
            'says nothing': () => undefined,
            'says nothing after the greeting': (line) => (line === '' ? '220 here' : undefined),
            'says nothing after the sender': (line) => (line.startsWith('MAIL') ? undefined : hello(line)),
            'says nothing after the mail': (line) => (line === 'DATA' ? '354 go on' : line === '.' ? undefined : hello(line)),
            'never ends its greeting': (line) => (line === '' ? `220-${'x'.repeat(200_000)}` : undefined),
            'never ends an answer': (line) => (line.startsWith('RCPT') ? `250-${'x'.repeat(200_000)}` : hello(line)),
            'speaks another language': (line) => (line === '' ? 'HTTP/1.1 400 Bad Request' : undefined),
            'closes the connection': (_line, socket) => {
                socket.destroy();
                return undefined;
            }
        };
        for (const [what, answer] of Object.entries(wrong)) {
            const server = await answering(answer);
            const began = performance.now();
            expect(await send(server, {}, { timeout: 400 }), what).to.include({ state: 'failed' });
            expectQuick(performance.now() - began, 3000, what);
        }

        // Slowly, so that the connection never is without a byte.
        const slow = await answering((line, socket) => {
            if (line === '') {
                const timer = setInterval(() => socket.write('220-here\r\n'), 50);
                socket.on('close', () => clearInterval(timer));
            }

            return undefined;
        });
        const began = performance.now();
        expect(await send(slow, {}, { timeout: 400 })).to.include({ state: 'failed' });
        expectQuick(performance.now() - began, 3000);
        expect(await send({ port: 1 })).to.include({ state: 'failed', code: 'ESOCKET', status: null });
    });

    it('is not sent to the end if the service ends', async () => {
        const server = await answering(() => undefined);
        const ending = new AbortController();
        const sending = send(server, {}, { timeout: 60_000 }, mail, ending.signal);
        setTimeout(() => ending.abort(), 100);
        expect(await sending).to.equal({ state: 'failed', code: 'EABORT', status: null });
    });

    it('is refused for good only if it is about the mail, and not about the settings', async () => {
        for (const [command, state] of [['MAIL', 'failed'], ['RCPT', 'refused'], ['DATA', 'refused'], ['.', 'refused'], ['EHLO', 'failed']] as const) {
            const server = await answering((line) => {
                return line.startsWith(command) ? '550 no' : line === '' ? '220 here' : line === 'DATA' ? '354 go on' : line.startsWith('HELO') && command === 'EHLO' ? '550 no' : '250 yes';
            });
            expect(await send(server), command).to.include({ state });
        }

        const later = await answering((line) => (line.startsWith('RCPT') ? '450 later' : line === '' ? '220 here' : '250 yes'));
        expect(await send(later)).to.include({ state: 'failed', status: 450 });
    });
});
