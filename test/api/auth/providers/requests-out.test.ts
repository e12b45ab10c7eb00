import { readFileSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { listen } from '../../../support/host';
import { startTestServer } from '../../../support/server';

export const lab = script();

const sources = join(__dirname, '../../../../src');

/** Ways to send a request to another host, or to look one up. Types, listeners and checks of addresses do not count, nor does the connection to PostgreSQL. */
const ways = /(?<![.\w])fetch\(|(?:import (?!type |\{ (?:IncomingMessage|STATUS_CODES|createServer|isIP|isIPv4, isIPv6) \}).*|require\(|import\()'(?:node:)?(?:https?|http2|net|tls|dns|dgram|undici)\b/;

lab.experiment('URLs that authors write', () => {

    lab.test('are requested by no source file', () => {
        const askers = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter((name) => /\.[jt]s$/.test(name) && ways.test(readFileSync(join(sources, name), 'utf8'))).sort();
        // `outgoing` sends what webhooks tell, to addresses that it has checked. The last ones send the database that the service is connected to a request to cancel, and have data URIs decoded, which are no requests.
        expect(askers).to.equal(['api/auth/providers/ask.ts', 'api/outgoing/addresses.ts', 'api/outgoing/post.ts', 'database/statements/cancel.ts', 'files/assets/data-uris.ts']);
    });

    lab.test('are never requested, whatever is done with the project', async () => {
        let asked = 0;
        const listener = createServer((_request, response) => {
            ++asked;
            response.end();
        });
        const port = await listen(listener);
        const server = await startTestServer();
        const [author, moderator] = await Promise.all([server.open('author'), server.open('chooser', { moderator: true })]);
        try {
            for (const address of [`http://127.0.0.1:${port}/picture.png`, `HTTP://LOCALHOST:${port}/`, `http://[::ffff:127.0.0.1]:${port}/`, `http://2130706433:${port}/`, `http://user:password@127.0.0.1:${port}/?a=1#b`]) {
                const own = `/users/${author.id}/projects`;
                const made = await server.call('POST', own, { title: address, description: `${address} #x`, thumbnail: { 320: address } }, { token: author.token });
                expect(made.status, made.text).to.equal(201);
                const path = `${own}/${made.body.project.id}`;
                const page = `${path}/pages/${made.body.page.id}`;
                await server.call('POST', `${page}/elements`, { type: 'image', attributes: { src: address, href: address } }, { token: author.token });
                await server.call('PATCH', path, { thumbnail: { 640: address } }, { token: author.token });
                await server.call('PATCH', `${path}/feature`, { featured: true }, { token: moderator.token });
                await server.call('POST', `${path}/remixes`, {}, { token: moderator.token });
                await server.call('POST', `/view-project/${made.body.project.id}`, {}, { headers: { referer: address, origin: address.toLowerCase() } });
                for (const url of [path, page, '/discover', '/projects', '/projects/tagged/x', '/featured-tags']) {
                    expect((await server.call('GET', url)).status).to.equal(200);
                }
            }

            await sleep(100);
            expect(asked).to.equal(0);
            // The listener would have noticed.
            await fetch(`http://127.0.0.1:${port}/`);
            expect(asked).to.equal(1);
        }
        finally {
            listener.close();
            await server.stop();
        }
    });
});
