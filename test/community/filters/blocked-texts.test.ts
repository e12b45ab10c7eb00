import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { hasMembers } from '../../../src/api/json/is-object';
import { routes, urlOf } from '../../routes/index';
import { Cast } from '../../support/cast';
import { startTestServer } from '../../support/server';
import type { TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

/** Why other texts that requests write are not refused. */
const others: Readonly<Record<string, readonly string[]>> = {
    'what has them is held': ['createProject.title', 'createProject.description', 'updateProject.title', 'updateProject.description', 'createRemix.title', 'saveBulk.title', 'saveBulk.description', 'createComment.text', 'updateComment.text'],
    'nobody else reads it': [
        'addIdentity.answer', 'addPasskey.authenticatorAttachment', 'addPasskey.label', 'addPasskey.transports', 'askForPassword.account', 'changeAddress.current_password', 'changePassword.current_password',
        'changePassword.password', 'createPersonalToken.label', 'createToken.authenticatorAttachment', 'createToken.label', 'createToken.password', 'createToken.recovery_code', 'createTokenByPictures.label',
        'createUser.code', 'createUser.password', 'endSignIn.refresh_token', 'finishSignIn.answer', 'finishSignIn.code', 'finishSignIn.label', 'makePassword.password', 'renewSignIn.refresh_token'
    ],
    'moderators and staff alone read it': ['appeal.text', 'reportAsGuest.text', 'reportComment.text', 'reportProject.text', 'reportUser.text', 'createSignUpCode.note'],
    'moderators and staff write it': [
        'blockPicture.reason', 'unblockPicture.reason', 'createAnnouncement.text', 'decideAppeal.reason', 'decideCommentReports.note', 'decideReports.note', 'decideUserReports.note', 'holdProject.reason',
        'suspendPerson.reason', 'suspendUser.reason'
    ],
    'it is the name of a person': ['createPupils.names', 'updatePupil.name'],
    'it is for programs': ['createApp.redirect_uris', 'updateApp.redirect_uris', 'createElement.type', 'saveBulk.type']
};

const WORD = 'one stoat';

/** The names of the texts that a schema takes, wherever they are in it. */
function* textsIn(schema: unknown, schemas: Readonly<Record<string, unknown>>, name = ''): Generator<string> {
    if (!hasMembers(schema)) {
        return;
    }

    const { $ref: reference, type, pattern, enum: values, const: value, format, maxLength = Infinity, properties, ...rest } = schema;
    if (typeof reference === 'string') {
        yield* textsIn(schemas[String(reference.split('/').at(-1))], schemas, name);
    }
    else if ([type].flat().includes('string') && values === undefined && value === undefined && format === undefined && Number(maxLength) >= WORD.length && new RegExp(String(pattern ?? ''), 'u').test(WORD)) {
        yield name;
    }

    for (const [key, one] of Object.entries(Object(properties))) {
        yield* textsIn(one, schemas, key);
    }

    for (const one of [rest.items, rest.additionalProperties, rest.anyOf, rest.oneOf, rest.allOf].flat()) {
        yield* textsIn(one, schemas, name);
    }
}

describe('blocked words in texts', () => {
    let folder: string;
    let server: TestServer;
    /** by their operation and field */
    let written: string[];

    before(async () => {
        folder = await mkdtemp(join(tmpdir(), 'pagewright-texts-'));
        const path = join(folder, 'words.txt');
        await writeFile(path, 'stoat\n');
        server = await startTestServer({ config: { filters: { words: path, lookDays: null }, teachers: 'open' } });
        const { paths, components: { schemas } } = JSON.parse(await readFile('openapi.json', 'utf8'));
        written = Object.entries<Record<string, { operationId: string; requestBody?: { content: Record<string, { schema: unknown }> } }>>(paths).flatMap(([, methods]) => Object.values(methods).flatMap(({ operationId, requestBody }) => {
            return [...new Set(textsIn(requestBody?.content['application/json']?.schema, schemas))].map((name) => `${operationId}.${name}`);
        }));
    });

    after(async () => {
        await server.stop();
        await rm(folder, { recursive: true });
    });

    /** The fields that routes refuse. */
    const refused = (): { key: string; operation: string; field: string }[] => server.server.table().flatMap(({ method, path, settings: { app, plugins } }) => (app?.texts ?? []).map((field) => {
        return { key: `${method.toUpperCase()} ${path}`, operation: String(plugins?.description?.().operationId), field };
    }));

    it('are refused wherever others read what is written, and nothing can be held', async () => {
        expect([...Object.values(others).flat(), ...refused().map(({ operation, field }) => `${operation}.${field}`)].toSorted()).to.equal(written.toSorted());
        const target = await new Cast(server).target();
        const ids = { ...target, owner: target.username, username: target.member, serial: '1' };
        const token = await new Cast(server).token(target.user);
        for (const { key, field } of refused()) {
            const row = routes.find((one) => one.key === key);
            const send = async (text: string): Promise<string> => {
                const { status, body } = await server.call(String(row?.method), urlOf({ path: '', ...row }, ids), { ...row?.body?.(ids), [field]: text }, { token });
                return status === 409 ? body.code : String(status);
            };

            expect(await send('A st0at!'), `${key} ${field}`).to.equal('words_blocked');
            expect(await send('An otter'), `${key} ${field}`).to.startWith('20');
        }
    });
});
