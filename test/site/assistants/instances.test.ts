import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Client } from '@modelcontextprotocol/client' with { 'resolution-mode': 'import' };

import { Browser, registerApp, startAppsServer, tokensFor } from '../../support/apps';
import type { AppsServer } from '../../support/apps';
import { openAuthor } from '../../support/authoring';
import type { Answer } from '../../support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

describe('/mcp at two instances', () => {
    let servers: AppsServer[];
    let token: string;
    let app: { id: string; name: string };

    before(async () => {
        const first = await startAppsServer();
        servers = [first, await startAppsServer({ database: { ...first.database, drop: () => Promise.resolve() } })];
        const ada = await openAuthor(first, 'ada');
        const assistant = await registerApp(first, ada, { name: 'An assistant' });
        app = { id: assistant.id, name: 'An assistant' };
        ({ access_token: token } = await tokensFor(first, assistant, new Browser(ada.token)));
    });

    after(async () => {
        const [first, second] = servers;
        await second?.stop();
        await first?.stop();
    });

    /** A client each of whose requests goes to the other instance than the one before. */
    const alternating = async (mode: 'legacy' | 'auto'): Promise<{ client: Client; sent: string[] }> => {
        const { Client: McpClient, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
        const sent: string[] = [];
        const client = new McpClient({ name: 'A test', version: '1' }, { versionNegotiation: { mode } });
        await client.connect(new StreamableHTTPClientTransport(new URL(`${servers[0]?.url}/mcp`), {
            requestInit: { headers: { authorization: `Bearer ${token}` } },
            fetch: (_url, init) => {
                const url = `${servers[sent.length % 2]?.url}/mcp`;
                sent.push(url);
                return fetch(url, init);
            }
        }));
        return { client, sent };
    };

    for (const mode of ['legacy', 'auto'] as const) {
        it(`goes on at the other one, for a client of ${mode === 'auto' ? 'the newest revision' : 'an older revision'} of the protocol`, async () => {
            const { client, sent } = await alternating(mode);
            const call = async (name: string, input: object = {}): Promise<Answer['body']> => {
                const { content: [first], isError = false } = await client.callTool({ name, arguments: { ...input } });
                expect(isError).to.be.false();
                return JSON.parse(first?.type === 'text' ? first.text : '');
            };

            expect((await client.listTools()).tools).to.have.length(9);
            const { project, page } = await call('create_project', { title: 'Basil' });
            await call('change_project', { actions: [{ type: 'elements', method: 'create', data: { pageId: page.id, type: 'text' } }] });
            expect((await call('read_page', { project: project.id, page: page.id })).elements).to.have.length(1);
            const { changes } = await call('list_changes', { project: project.id });
            expect(changes.map((change: Answer['body']) => [change.kind, change.app])).to.equal([['bulk', app], ['create', app]]);
            await call('undo_change', { project: project.id, revision: changes[0].revision });
            expect((await call('read_page', { project: project.id, page: page.id })).elements).to.equal([]);
            for (const { url } of servers) {
                expect(sent.filter((address) => address.startsWith(url)).length).to.be.above(2);
            }

            await client.close();
            expect(servers.flatMap(({ faults }) => faults)).to.equal([]);
        });
    }
});
