import { MIB, zipped } from './attacker';
import type { Attacker } from './attacker';
import type { Attack } from './attack';

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, n) => n);

const nested = (depth: number, open: string, close: string, inner = ''): string => `${open.repeat(depth)}${inner}${close.repeat(depth)}`;

const keys = (count: number, value = '0'): string => `{${numbers(count).map((n) => `"k${n}":${value}`).join(',')}}`;

/** JSON texts of objects near the limit, each large in another way. */
export const wide: Readonly<Record<string, string>> = {
    keys: keys(150_000),
    'empty objects': `{"a":[${'{},'.repeat(690_000)}{}]}`,
    'empty arrays': `{"a":[${'[],'.repeat(690_000)}[]]}`,
    numbers: `{"a":[${'0,'.repeat(1_040_000)}0]}`,
    'numbers that grow': `{"a":[${'9e20,'.repeat(90_000)}0]}`,
    escapes: `{"a":"${'\\u0041'.repeat(340_000)}"}`,
    'escaped quotes': `{"a":"${'\\"'.repeat(1_040_000)}"}`,
    'long keys': `{${numbers(20).map((n) => `"${'k'.repeat(100_000)}${n}":0`).join(',')}}`,
    'same keys': `{${'"k":0,'.repeat(340_000)}"k":0}`,
    'numeric keys': `{${numbers(150_000).map((n) => `"${n * 7919}":0`).join(',')}}`,
    'wide and deep': `{"a":[${numbers(1000).map(() => nested(30, '[', ']')).join(',')}]}`,
    'too deep': `{"a":${nested(100_000, '[', ']')}}`,
    'deep objects': `${nested(31, '{"a":', '}', keys(100_000))}`,
    'letters of four bytes': `{"a":"${'😀'.repeat(520_000)}"}`
};

/** Fields of writes, and a body with a value in each. */
export const fields: readonly (readonly [name: string, body: (value: string) => string])[] = [
    ['attributes', (value) => `{"attributes":${value}}`],
    ['styles', (value) => `{"styles":${value}}`],
    ['thumbnail', (value) => `{"thumbnail":${value}}`],
    ['title', (value) => `{"title":${value}}`],
    ['a field that is not known', (value) => `{"other":${value}}`],
    ['actions', (value) => `{"actions":[{"type":"elements","method":"create","data":${value}}]}`],
    ['the body', (value) => value],
    ['revision', (value) => `{"attributes":{},"revision":${value}}`]
];

async function shapes(attacker: Attacker): Promise<void> {
    const account = await attacker.open();
    const { path, headers } = account;
    const { page, path: project, pageId } = await attacker.project(account);
    const { json } = await attacker.call({ method: 'POST', path: `${page}/elements`, headers, body: { type: 'link' } });
    const { element }: { element?: { id: string } } = Object(json);
    const targets: Readonly<Record<string, string>> = { thumbnail: project, title: project, actions: `${path}/bulk`, styles: page };
    for (const value of Object.values(wide)) {
        for (const [field, body] of attacker.over ? [] : fields) {
            const method = field === 'actions' ? 'POST' : 'PATCH';
            await attacker.call({ method, path: targets[field] ?? `${page}/elements/${element?.id}`, headers, body: Buffer.from(body(value)) });
        }

        await attacker.times(2, 2, () => attacker.call({ path: page }));
    }

    const link = (attributes: object): object => ({ type: 'elements', method: 'create', data: { pageId, type: 'link', attributes } });
    const deep = JSON.parse(nested(100, '{"targetPageId":', '}', '1'));
    await attacker.call({ method: 'POST', path: `${path}/bulk`, headers, body: { actions: numbers(100).map(() => link(deep)) } });
}

/** Bodies with as many validation errors as possible. */
async function faults(attacker: Attacker): Promise<void> {
    const account = await attacker.open();
    const { path, headers } = account;
    const project = await attacker.project(account);
    const bodies = [
        { actions: numbers(1000).map(() => ({ type: 'x', method: 'x', data: 0, a: 1, b: 2, c: 3 })) },
        { actions: numbers(1000).map(() => ({ type: 'pages', method: 'create', data: { projectId: '$999.x', x: 'x', y: 1.5, styles: [], z: 1, title: 1 } })) },
        Object.fromEntries(numbers(24_000).map((n) => [`k${n}`, [0]])),
        { thumbnail: Object.fromEntries(numbers(20_000).map((n) => [`k${n}`, 'x'])), title: 'x'.repeat(MIB) },
        { actions: numbers(1000).map((n) => ({ type: 'elements', method: 'update', data: { id: `$${n}.${'a.'.repeat(15)}a`, attributes: {} } })) }
    ];
    await attacker.times(40, 4, (n) => attacker.call({
        method: n % 5 === 2 || n % 5 === 3 ? 'PATCH' : 'POST', path: n % 5 === 2 || n % 5 === 3 ? project.path : `${path}/bulk`, headers, body: zipped(bodies[n % 5]), encoding: 'gzip'
    }));
}

/** Descriptions with as many different tags as allowed. */
async function tags(attacker: Attacker): Promise<void> {
    const account = await attacker.open();
    const tag = (n: number): string => `#${String.fromCodePoint(0x4E00 + n % 20_000)}`;
    await attacker.times(400, 8, (n) => attacker.call({
        method: 'POST', path: `${account.path}/projects`, headers: account.headers, body: { title: 'A project', description: numbers(333).map((m) => tag(n * 333 + m)).join(' ') }
    }));
    await attacker.times(200, 8, (n) => attacker.call({ path: n % 2 === 0 ? '/projects?count=100' : `/featured-tags?n=${n}` }));
}

export const shapesAttacks: readonly Attack[] = [
    { name: 'shapes', short: true, title: '14 wide and deep values in 8 fields each', run: shapes, seconds: 45 },
    { name: 'faults', title: '40 bodies with up to 50,000 validation errors', run: faults, seconds: 15 },
    // Each tag is stored for the list of the tag, and as a word for the search, with an index entry each: 22 to 26 times what was sent.
    { name: 'tags', title: '400 projects with 333 tags each', run: tags, seconds: 15, bounds: { stored: 40 } }
];
