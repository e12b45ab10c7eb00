import { harmless, refused, request, write } from './input';
import type { Kind } from './input';
import type { Random } from './random';

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

const lists = ['/projects', '/discover', '/discover/pt-BR', '/projects/tagged/art'] as const;

const ids = ['0', '-1', '01', '1.5', '1e3', 'abc', 'null', '9223372036854775808', '99999999999999999999', '%00', '%31%00', '1%2F1', '\u0661', '1;drop', '{id}', '__proto__', '1'.repeat(5000), '%F0%9F%92%BB'];

/** Cursors in the format that lists return, or nearly. */
const cursor = (random: Random): string => {
    const rank = random.pick(['0', '1', '2', '3', '-1', 'x', '00', '']);
    const time = random.pick(['0', '1767261600000', '253402300799999', '253402300800000', '-1', '1e9', 'Infinity', '9'.repeat(40)]);
    const id = random.pick(['1', '0', '42', '9223372036854775807', '9223372036854775808', '1; select 1', '']);
    return Buffer.from(`${rank}.${time}.${id}`).toString('base64url');
};

const creation = (title: string): object => ({ type: 'projects', method: 'create', data: { title } });

/** Last actions that fail, so that no action of the bulk is done. */
const lastActions: readonly object[] = [
    { type: 'projects', method: 'update', data: { id: '9223372036854775807', title: 'x' } }, { type: 'pages', method: 'create', data: { projectId: '$0.id', x: 0.5, y: 0 } }, { type: 'pages', method: 'create', data: { projectId: '$0.author.username', x: 0, y: 0 } },
    { type: 'pages', method: 'create', data: { projectId: '$99999.id', x: 0, y: 0 } }, { type: 'pages', method: 'remove', data: { id: '$0.__proto__.id' } }, { type: 'elements', method: 'create', data: { pageId: '$0.constructor.name', type: 'x' } },
    { type: 'users', method: 'create', data: {} }, { type: 'projects', method: 'drop', data: {} }, { type: 'projects', method: 'create', data: { title: 'x', featured: true } }, { type: 'projects', method: 'create', data: { title: 'x', user_id: '1' } },
    { type: 'projects', method: 'remove', data: { id: '$0.id', revision: 5 } }, { type: 'projects', method: 'update', data: { id: '$0.id', title: '\u0000' } }, { type: 'projects', method: 'update', data: { id: '$0.id' } }, { type: 'projects', method: 'update', data: null }, {}
];

/** Well-formed requests with false claims. */
export const forgedKinds: Readonly<Record<string, readonly [weight: number, kind: Kind]>> = {
    'cursor': [8, (random) => {
        const after = random.pick([() => cursor(random), () => cursor(random), () => random.text(random.below(80), LETTERS), () => encodeURIComponent(random.text(5, '.=+/ \0é%')), () => 'A'.repeat(10_000)])();
        const more = random.pick(['', '', '&page=1', '&count=101', '&count=0', '&after=x', '&count=1e2', '&__proto__=1', '&count=99999999999999999999']);
        return harmless(request(`GET ${random.pick(lists)}?after=${after}${more} HTTP/1.1`, {}));
    }],

    'id': [6, (random, subject) => {
        const segments = random.pick([subject.project, subject.page, subject.element, subject.comment]).split('/');
        segments[2 * random.below((segments.length - 1) / 2) + 2] = encodeURI(random.pick(ids)).replaceAll('%25', '%');
        const [method, body] = random.pick([['GET', ''], ['DELETE', ''], ['PATCH', '{"styles":{}}'], ['PATCH', '{"title":"x"}'], ['PATCH', '{"text":"x"}']] as const);
        return refused(write(method, segments.join('/'), subject, body));
    }],

    'entity tag': [3, (random, subject) => {
        const tag = random.pick(['"0"', '"2"', 'W/"1"', '"1', '1', '""', ',', `"${random.text(20, LETTERS)}"`, '"x",'.repeat(2000), '\xff', '"1\\"', '"*"', '"1 "']);
        const [method, body] = random.pick([['PATCH', '{"x":7}'], ['DELETE', '']] as const);
        return refused(write(method, subject.page, subject, body, { 'If-Match': tag }));
    }],

    'idempotency key': [2, (random, subject) => {
        const key = random.pick(['', '"', 'short', 'x'.repeat(256), 'a key of some words', '\xff'.repeat(20), `"${'x'.repeat(15)}"`, `"${'x'.repeat(16)}`.slice(0, 10), '\t'.repeat(20), random.text(15, LETTERS)]);
        return refused(write('POST', `${subject.project}/pages`, subject, '{"x":77,"y":77}', { 'Idempotency-Key': key }));
    }],

    'token': [6, (random, subject) => {
        const value = random.pick([
            () => `token ${random.text(43, LETTERS)}`, () => `Bearer ${random.text(43, LETTERS)}`, () => `token ${random.text(random.below(9000), LETTERS)}`, () => `token ${subject.token.slice(1)}`, () => `token ${subject.token}A`, () => `token ${subject.token.toLowerCase()}.`,
            () => `token  ${subject.token} x`, () => `Basic ${subject.token}`, () => subject.token, () => `token\t${random.text(43, LETTERS)}`, () => `token ' or 1=1 --`, () => 'token \xff', () => 'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.', () => '', () => `token,${subject.token}`
        ])();
        const [method, path, body] = random.pick([['POST', `${subject.project}/pages`, '{"x":77,"y":77}'], ['DELETE', subject.project, ''], ['DELETE', '/tokens', ''], ['GET', '/tokens', ''], ['PATCH', subject.user, '{"language":"fr"}']] as const);
        return refused(write(method, path, subject, body, { Authorization: value }));
    }],

    'bulk': [4, (random, subject) => {
        const before = random.below(40);
        return refused(write('POST', `${subject.user}/bulk`, subject, JSON.stringify({ actions: [...Array.from({ length: before }, (_none, nth) => creation(`${nth}`)), random.pick(lastActions)] })));
    }],

    'too many actions': [0.1, (random, subject) => {
        return refused(write('POST', `${subject.user}/bulk`, subject, JSON.stringify({ actions: Array.from({ length: 1001 + random.below(3000) }, (_none, nth) => creation(`${nth}`)) })));
    }],

    'property': [4, (random, subject) => {
        const [name, value] = random.pick([['featured', true], ['moderator', true], ['staff', true], ['user_id', '1'], ['id', '1'], ['created_at', '2000-01-01T00:00:00.000Z'], ['version', '9'], ['remixed_from', '1'], ['permissions', { moderator: true }], ['stats', { views: 9 }],
            ['password_hash', 'x'], ['deleted_at', null], ['tags', ['x']], ['author', { id: '1' }], ['history', {}], ['page_id', '1'], ['project_id', '1'], ['updated_at', null], ['page_count', 0], ['isBoom', true],
            ['mentions', ['1']], ['held_at', null], ['removed_by', 'moderator'], ['thread', '1'], ['replies', 9], ['outcome', 'reversed'], ['trusted', true]] as const);
        const [method, path, body] = random.pick([['PATCH', subject.user, { language: 'fr' }], ['PATCH', subject.project, { title: 'x' }], ['POST', `${subject.user}/projects`, { title: 'x' }], ['PATCH', subject.page, { styles: { a: 1 } }], ['PATCH', subject.element, { styles: { a: 1 } }],
            ['POST', `${subject.project}/remixes`, {}],
            ['POST', `${subject.project}/comments`, { text: 'x' }], ['PATCH', subject.comment, { text: 'x' }], ['PUT', `${subject.project}/comments/settings`, { who: 'nobody' }], ['PUT', `${subject.user}/notices/letter`, { daily: true }], ['POST', `${subject.user}/reports`, { reason: 'spam' }],
            ['POST', '/users', { username: 'forged', password: 'correct horse' }]] as const);
        return refused(write(method, path, subject, JSON.stringify({ ...body, [name]: value })));
    }]
};
