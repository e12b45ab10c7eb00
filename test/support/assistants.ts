import type { Client } from '@modelcontextprotocol/client' with { 'resolution-mode': 'import' };

import { startAppsServer } from './apps';
import type { AppsServer } from './apps';
import type { Answer, TestServerOptions } from './server';

/** An assistant that is connected to `/mcp`, by the official client. */
export interface Assistant {
    client: Client;
    /** What a tool returns. @throws if it is an error */
    result(name: string, input?: object): Promise<Answer['body']>;
    /** The error that a tool returns. @throws if it is none */
    refusal(name: string, input?: object): Promise<Answer['body']>;
}

export interface AssistantsServer extends AppsServer {
    assistant(token: string, mode?: 'legacy' | 'auto'): Promise<Assistant>;
}

export async function startAssistants(options?: TestServerOptions): Promise<AssistantsServer> {
    const server = await startAppsServer(options);
    const clients: Client[] = [];

    const assistant: AssistantsServer['assistant'] = async (token, mode = 'auto') => {
        const { Client: McpClient, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
        const client = new McpClient({ name: 'A test', version: '1' }, { versionNegotiation: { mode } });
        clients.push(client);
        await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { requestInit: { headers: { authorization: `Bearer ${token}` } } }));
        const call = async (wanted: boolean, name: string, input: object = {}): Promise<Answer['body']> => {
            const { content: [first], isError = false } = await client.callTool({ name, arguments: { ...input } });
            const text = first?.type === 'text' ? first.text : '';
            if (isError !== wanted) {
                throw new Error(text);
            }

            return JSON.parse(text);
        };

        return { client, result: (name, input) => call(false, name, input), refusal: (name, input) => call(true, name, input) };
    };

    return {
        ...server,
        assistant,
        stop: async () => {
            await Promise.all(clients.map((client) => client.close()));
            await server.stop();
        }
    };
}
