import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { promisify } from 'node:util';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Client } from '@modelcontextprotocol/client' with { 'resolution-mode': 'import' };

import { Browser, registerApp, startAppsServer } from '../../support/apps';
import type { AppsServer } from '../../support/apps';
import { root } from '../../support/program';
import { programFile } from '../../support/programs';
import type { Actor } from '../../support/server';

export const lab = Lab.script();
const { describe, it } = lab;

const guide = readFileSync(join(root, 'docs/assistants.md'), 'utf8');
const snippets = (language: string): string[] => [...guide.matchAll(/^```(\w+)\n(.*?)^```$/gms)].filter(([, of]) => of === language).map(([, , text = '']) => text);
const [open = '', registered = ''] = snippets('json');

/** An assistant that a person lets in, and how many pages were opened for that. */
interface Connected {
    client: Client;
    opened: string[];
}

/** The commands of docs/assistants.md, and mcp-remote as it is, as programs start it that know only local servers. */
describe('an assistant by mcp-remote', () => {
    /** Runs a test with a service, in a folder for what mcp-remote keeps. */
    const withService = async (appRegistration: 'open' | 'accounts', test: (server: AppsServer, ada: Actor, connect: (configuration: string) => Promise<Connected>) => Promise<void>): Promise<void> => {
        const server = await startAppsServer({ config: { appRegistration } });
        const folder = await mkdtemp(join(tmpdir(), 'pagewright-mcp-'));
        const ada = await server.open('ada');
        const connect = async (configuration: string): Promise<Connected> => {
            const { Client: McpClient } = await import('@modelcontextprotocol/client');
            const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio');
            const [, ...args]: string[] = JSON.parse(configuration.replace('https://pages.example', server.url)).mcpServers.pagewright.args;
            const transport = new StdioClientTransport({
                command: process.execPath, args: [programFile('mcp-remote/dist/proxy.js'), ...args],
                // It finds no browser in this path, so it says only which page to open.
                env: { HOME: folder, MCP_REMOTE_CONFIG_DIR: folder, PATH: folder }, stderr: 'pipe'
            });
            const opened: string[] = [];
            const browser = new Browser(ada.token);
            const said = new PassThrough();
            transport.stderr?.pipe(said);
            createInterface(said).on('line', (line) => {
                if (line.startsWith(`${server.url}/oauth/auth`)) {
                    opened.push(line);
                }
                else if (line.endsWith('Waiting for authorization...')) {
                    // Only now it listens for whoever comes back; people are not as fast as this.
                    void browser.letIn(String(opened.at(-1))).then((back) => fetch(back));
                }
            });
            const client = new McpClient({ name: 'An assistant', version: '1' });
            await client.connect(transport);
            return { client, opened };
        };

        try {
            await test(server, ada, connect);
            expect(server.faults).to.equal([]);
        }
        finally {
            await server.stop();
            await rm(folder, { recursive: true });
        }
    };

    it('registers itself, is let in by a person, and calls tools; later it is let in still, until that is ended', () => withService('open', async (server, ada, connect) => {
        const first = await connect(open);
        expect(first.opened).to.have.length(1);
        expect((await first.client.listTools()).tools.map(({ name }) => name)).to.include(['create_project', 'change_project']);
        expect((await first.client.callTool({ name: 'create_project', arguments: { title: 'By an assistant' } })).isError).to.equal(false);
        await first.client.close();
        expect((await server.call('GET', '/users/me/projects?visibility=all', undefined, { token: ada.token })).body.projects[0].title).to.equal('By an assistant');
        const { body: { authorizations: [authorization, ...others] } } = await server.call('GET', '/users/me/authorizations', undefined, { token: ada.token });
        expect(others).to.equal([]);
        expect(authorization).to.include({ scope: ['offline_access', 'projects', 'read'] });

        const second = await connect(open);
        expect(second.opened).to.equal([]);
        expect((await server.call('DELETE', `/users/me/authorizations/${authorization.app.id}`, {}, { token: ada.token })).status).to.equal(200);
        await second.client.close();
        const third = await connect(open);
        expect(third.opened).to.have.length(1);
        await third.client.close();
    }));

    it('is an app of somebody where apps do not register themselves', () => withService('accounts', async (server, ada, connect) => {
        const { id } = await registerApp(server, ada, { redirect_uris: ['http://localhost/oauth/callback'] });
        const { client, opened } = await connect(registered.replace('12', id));
        expect(opened).to.have.length(1);
        const { content: [first] } = await client.callTool({ name: 'find_projects', arguments: {} });
        expect(first).to.include({ type: 'text', text: '{"projects":[],"next":null}' });
        await client.close();
    }));

    it('can do without it: the command of the guide calls a tool with a token', () => withService('accounts', async (server, ada) => {
        const [call = ''] = snippets('sh');
        const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', call], { env: { ...process.env, API: server.url, TOKEN: ada.token } });
        expect(stdout).to.contain('{\\"projects\\":[],\\"next\\":null}');
    }));
});
