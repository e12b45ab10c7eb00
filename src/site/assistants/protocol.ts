import type { Request } from '@hapi/hapi';
import type { CallToolResult } from '@modelcontextprotocol/server';

import { version } from '../../api/description/version';
import { isFault } from '../../api/errors/errors';
import { workQueue } from '../../api/concurrency/work-queue';
import { jsonOf } from '../../api/json/json-text';
import { currentUser } from '../../api/request/caller';
import { ClientGone, signalOf } from '../../api/request/client-gone';
import { RouteError, routesFor } from './calls';
import { instructions, shownTools, tools } from './tools';

/** Request headers of the protocol, which pages of other origins may send too. */
export const messageHeaders = ['MCP-Protocol-Version', 'Mcp-Method', 'Mcp-Name'];

/** Request headers that the library sees. */
const passed = ['accept', 'content-type', ...messageHeaders.map((name) => name.toLowerCase())];

/** The response to a message. */
export interface Answer {
    status: number;
    /** media type */
    type: string;
    text: string;
}

type Asker = Pick<Request, 'auth' | 'log'> & Parameters<typeof routesFor>[0];

/** Things that are read whole at a time, and of one caller: each takes several times as much memory as it has bytes. */
const reads = workQueue(4, 2);

const told = (text: string, isError = false): CallToolResult => ({ content: [{ type: 'text', text }], isError });

/** A tool's result, or why it has none, in words for the model. @throws what is not the caller's error */
async function resultOf(request: Asker, name: string, input: Readonly<Record<string, unknown>>): Promise<CallToolResult | undefined> {
    const tool = tools.get(name);
    try {
        const run = async (): Promise<CallToolResult | undefined> => tool && told(await tool.run(routesFor(request), input));
        return await (tool?.readsWhole ? reads.run(run, currentUser(request).id, signalOf(request)) : run());
    }
    catch (error) {
        if (error instanceof RouteError) {
            return told(error.message, true);
        }

        if (isFault(error)) {
            return told(JSON.stringify({ message: error.message, ...error.data }), true);
        }

        throw error;
    }
}

/**
 * Answers a message of the Model Context Protocol, in its revision of 2026 and in those before, with a server of its own: nothing is kept between
 * messages, so any instance can answer any of them. The library is loaded when it is first needed.
 */
export async function answerMessage(request: Asker, message: object): Promise<Answer> {
    const { ProtocolError, ProtocolErrorCode, Server, createMcpHandler } = await import('@modelcontextprotocol/server');
    const make = (): InstanceType<typeof Server> => {
        const server = new Server({ name: 'pagewright', title: 'Pagewright', version }, { capabilities: { tools: {} }, instructions });
        server.setRequestHandler('tools/list', () => ({ tools: shownTools() }));
        server.setRequestHandler('tools/call', async ({ params: { name, arguments: input = {} } }) => {
            const result = await resultOf(request, name, input).catch((error: unknown) => {
                if (!(error instanceof ClientGone)) {
                    request.log(['error', 'fault'], new Error(`The tool ${name} failed`, { cause: error }));
                }

                throw new ProtocolError(ProtocolErrorCode.InternalError, 'Something went wrong on the server.');
            });
            if (result === undefined) {
                throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${JSON.stringify(name.slice(0, 100))}. "tools/list" has their names.`);
            }

            return result;
        });
        return server;
    };

    // Nothing here ever changes by itself, so there is nothing to subscribe to.
    const { fetch: answer } = createMcpHandler(make, { maxSubscriptions: 0, keepAliveMs: 0 });
    const headers = passed.flatMap((name): [string, string][] => (request.headers[name] === undefined ? [] : [[name, String(request.headers[name])]]));
    const given = new globalThis.Request('http://localhost/mcp', { method: 'POST', headers, signal: signalOf(request) });
    const response = await answer(given, { parsedBody: JSON.parse(jsonOf(message)) });
    return { status: response.status, type: response.headers.get('content-type') ?? 'application/json', text: await response.text() };
}
