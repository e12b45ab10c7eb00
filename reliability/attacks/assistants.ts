import { MAX_MESSAGE_BYTES } from '../../src/limits';
import { zipped } from './attacker';
import type { Account, Answer, Attacker, Project } from './attacker';
import type { Attack, Run } from './attack';

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, n) => n);

const message = (method: string, params: object = {}): object => ({ jsonrpc: '2.0', id: 1, method, params });
const tool = (name: string, input: object): object => message('tools/call', { name, arguments: input });

const headersOf = ({ headers }: Account): Readonly<Record<string, string>> => ({ ...headers, accept: 'application/json, text/event-stream' });

/** Sends a message of the Model Context Protocol. */
const say = (attacker: Attacker, account: Account, body: unknown): Promise<Answer> => attacker.call({ method: 'POST', path: '/mcp', headers: headersOf(account), body });

/** A project, and its page, of an account that has sent a message: the first one loads the library, once in the life of a process. */
async function begun(attacker: Attacker): Promise<{ account: Account; project: Project }> {
    const account = await attacker.open();
    await say(attacker, account, message('tools/list'));
    return { account, project: await attacker.project(account) };
}

/** Messages that are cheap to send, as many at once as an address may, about a page with 7 MB of texts and a project of 1,000 pages. */
async function calls(attacker: Attacker): Promise<Run> {
    const { account, project: { id, pageId } } = await begun(attacker);
    const texts = numbers(29).map(() => ({ type: 'elements', method: 'create', data: { pageId, type: 'text', attributes: { text: 'x'.repeat(250_000) } } }));
    await attacker.call({ method: 'POST', path: `${account.path}/bulk`, headers: account.headers, body: zipped({ actions: texts }), encoding: 'gzip' });
    const pages = numbers(999).map((n) => ({ type: 'pages', method: 'create', data: { projectId: id, x: n + 1, y: 0 } }));
    await attacker.call({ method: 'POST', path: `${account.path}/bulk`, headers: account.headers, body: { actions: pages } });

    return async () => {
        const messages = [
            message('tools/list'), message('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'An attack', version: '1' } }), tool('find_projects', { count: 20 }), tool('read_project', { project: id }),
            tool('read_page', { project: id, page: pageId }), tool('read_format', {}), tool('list_changes', { project: id, count: 20 }), tool('read_page', { project: id, page: pageId, after: '999999999' }), tool('nothing', {})
        ];
        await Promise.all([
            attacker.times(6000, 64, (n) => say(attacker, account, messages[n % messages.length])),
            ...numbers(30).map((n) => attacker.abandon({ method: 'POST', path: '/mcp', headers: headersOf(account), body: messages[3 + n % 2] }, 100 * n))
        ]);
    };
}

/** Messages as large as they may be, of which the schemas of the library and of the tools have to look at every part; bodies that never end, and streams that there are not. */
async function largest(attacker: Attacker): Promise<Run> {
    const { account, project: { id, pageId } } = await begun(attacker);
    const most = MAX_MESSAGE_BYTES - 300;
    const filled = (text: string): string[] => numbers(Math.floor(most / (JSON.stringify(text).length + 1))).map(() => text);
    const wide = Object.fromEntries(numbers(Math.floor(most / 12)).map((n) => [`k${n}`, 0]));
    const nested = numbers(60).reduce<unknown>((inner) => [inner, {}], 0);
    const create = { type: 'elements', method: 'create', data: { pageId, type: 'text', attributes: {} } };
    const bodies: unknown[] = [
        tool('change_project', { actions: numbers(2900).map(() => create) }), tool('change_project', { actions: numbers(1000).map(() => create) }), tool('change_project', { actions: numbers(Math.floor(most / 3)).map(() => ({})) }),
        tool('change_project', { actions: [{ type: 'elements', method: 'create', data: { pageId, type: 'text', attributes: wide } }] }), tool('change_project', { actions: filled('a') }), tool('find_projects', wide),
        tool('read_project', { project: 'a'.repeat(most) }), tool('create_project', { title: '\uFDFA'.repeat(Math.floor(most / 3)) }), message('initialize', wide), message('initialize', { capabilities: wide, protocolVersion: 'x'.repeat(1000) }),
        message('a'.repeat(most)), tool('a'.repeat(most), {}), numbers(Math.floor(most / 60)).map(() => message('ping')), { jsonrpc: '2.0', id: 'x'.repeat(most), method: 'ping' }, tool('read_page', { project: id, page: nested })
    ];
    return async () => {
        await attacker.times(600, 24, (n) => say(attacker, account, bodies[n % bodies.length]));
        const head = attacker.head('POST', '/mcp', { ...headersOf(account), 'content-type': 'application/json', 'content-length': most });
        numbers(300).forEach(() => void attacker.unread(`${head}{"jsonrpc":"2.0","params":"${'x'.repeat(10_000)}`));
        await attacker.times(400, 64, () => attacker.call({ path: '/mcp', headers: { ...account.headers, accept: 'text/event-stream' } }));
        await attacker.hold(5);
    };
}

export const assistants: readonly Attack[] = [
    { name: 'assistant-calls', short: true, title: '6,000 messages to /mcp, 64 at once, that list tools and read large pages, some abandoned', prepare: calls, seconds: 15 },
    // What is larger than a message may be is refused before it is read, so most of what is sent is stored nowhere.
    { name: 'assistant-messages', title: '600 messages of 256 KiB, wide, deep and of thousands of actions, 300 bodies that never end and 400 streams', prepare: largest, seconds: 20 }
];
