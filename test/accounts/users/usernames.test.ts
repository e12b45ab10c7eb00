import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { MAX_USERNAME } from '../../../src/limits';
import { limits } from '../../../src/api/protection/rate-limits';
import { openAuthor } from '../../support/authoring';
import { PASSWORD, startTestServer } from '../../support/server';
import type { Answer, TestServer } from '../../support/server';

export const lab = script();

/** What an ASCII header may have. */
const ascii = /^[\t\x20-\x7e]*$/;

lab.experiment('Usernames in any script', () => {

    let server: TestServer;

    lab.before(async () => {
        server = await startTestServer();
    });

    lab.after(() => server.stop());

    const create = (username: string): Promise<Answer> => server.call('POST', '/users', { username, password: PASSWORD });
    const signIn = (username: string, password = PASSWORD): Promise<Answer> => server.call('POST', '/tokens', { username, password });

    /** Names that are good, each with the form in which it is kept if that is another. */
    const good: readonly (readonly [name: string, kept?: string])[] = [
        ['Арина'], ['小林さくら'], ['サクラ_2'], ['김민준'], ['李小龍ㄌㄧ'], ['محمد'], ['ñandú'], ['Ünal'], ['Νίκος'], ['שָׁלוֹם'], ['गणेश'], ['สมชาย'], ['ကျွန်ုပ်'], ['ගයාන්'], ['ገብረ'], ['ⴰⵎⵓⵔ'], ['𞤀𞤁𞤂'],
        ['علی۱۲'], ['Tanaka田中'], ['ab김민준'], ['ー々'], ['İzmir'], ['ışıl'], ['Straße'], ['𐌰𐌱'],
        ['ﬁn'], ['Ｆｕｌｌ１'], ['ｻｸﾗ'], ['e\u0301mile', 'émile'], ['\u1112\u1161\u11ab글', '한글'], ['a\u0323\u0307x', 'ạ̇x'], ['b\u0307\u0323x', 'ḅ̇x'], ['\u212aelvin', 'Kelvin'], ['ℌamlet'], ['ﬁ'.repeat(20)],
        ['𠮷'.repeat(20)], ['각'.repeat(20).normalize('NFD'), '각'.repeat(20)], ['\u1fa2'.repeat(20).normalize('NFD'), '\u1fa2'.repeat(20)]
    ];
    for (const [name, kept = name] of good) {
        lab.test(`${name.slice(0, 20)} is kept as ${kept.slice(0, 20)}, and its user is found by it in any case and composition`, async () => {
            const made = await create(name);
            expect([made.status, made.body.user?.username], made.text).to.equal([201, kept]);
            // In capitals, or taken apart, some letters are several.
            for (const form of [kept, kept.normalize('NFD'), kept.normalize('NFKC'), kept.toUpperCase(), kept.toLowerCase(), name].filter((text) => [...text.normalize('NFC')].length <= MAX_USERNAME)) {
                const signed = await signIn(form);
                expect([signed.status, signed.body.user?.id], form).to.equal([201, made.body.user.id]);
            }

            expect((await create(kept.normalize('NFD'))).body.code).to.equal('username_taken');
        });
    }

    const bad = {
        characters: [
            'two words', 'a.b', 'a@b', 'a/b', 'a\nb', 'ක්\u200dර', 'علی\u200cرضا', 'a\u00adb', 'a\u202eb', 'a\u2066b', '\u3164', 'a\u115f', '\u0301a', '1\u0301', '1\u20e3', 'x\u0301\u0301', '\u00e1\u0301', 'a\u0300\u0301\u0302\u0303\u0304',
            'a\ufe0f', 'ៅ\u17b4', '😀', '½', 'Ⅷ', 'x²', 'Ⓐ', 'Ｆｕｌｌ＿１', 'ˈabc', 'o\u2019neil', 'ﷺ', '\u{e000}', 'a\u0378'
        ],
        length: ['x'.repeat(21), '𠮷'.repeat(21), 'ﬁ'.repeat(21), 'x'.repeat(5000), 'e\u0301'.repeat(21)],
        scripts: ['\u0430dmin', 'аdmin', 'pаypal', 'Ωmega', '김ア', 'ㄅア', 'ab٣', 'Τom', 'שלוםم', 'ԁavid', '小Арина']
    };
    const words = { characters: 'letters with their marks', length: '1 to 20 letters', scripts: 'in one script' };
    for (const what of ['characters', 'length', 'scripts'] as const) {
        lab.test(`a name with wrong ${what} is rejected, with what is wrong`, async () => {
            for (const name of bad[what]) {
                const { status, body } = await create(name);
                expect([status, body.code, body.details?.length, body.details?.[0].path], JSON.stringify(name)).to.equal([400, 'validation_failed', 1, 'username']);
                expect(body.message, JSON.stringify(name)).to.include(words[what]);
            }
        });
    }

    lab.test('names that differ only in case, width or composition are the same', async () => {
        const groups = [
            ['Ångström', 'ÅNGSTRÖM', 'A\u030angstro\u0308m', '\u212bngström'], ['Strasse-1', 'straße-1', 'STRASSE-1', 'STRA\u1e9eE-1'], ['ﬂo', 'FLO', 'ｆｌｏ'], ['Ilknur', 'ılknur', 'İlknur', 'i\u0307lknur', 'ilknur'],
            ['σοφός', 'ΣΟΦΌΣ', 'σοφόσ'], ['ガギ', 'ｶﾞｷﾞ', 'カ\u3099キ\u3099'], ['Ѝван', 'ѝван', 'И\u0300ван'], ['ქართ', 'ᲥᲐᲠᲗ'], ['q\u0323\u0307', 'q\u0307\u0323', 'Q\u0323\u0307']
        ];
        for (const group of groups) {
            const [first, ...others] = await Promise.all(group.map(create));
            const statuses = [first, ...others].map((answer) => answer?.status).sort();
            expect(statuses, group.join()).to.equal([201, ...others.map(() => 409)]);
        }
    });

    lab.test('a user changes their name to another form of it, and to no one else\'s', async () => {
        const { body: { user, token } } = await create('Élodie');
        await create('Élodie2');
        const rename = (username: string): Promise<Answer> => server.call('PATCH', `/users/${user.id}`, { username }, { token: token.access_token });
        expect((await rename('ÉLODIE')).body.user.username).to.equal('ÉLODIE');
        expect((await rename('e\u0301lodie')).body.user.username).to.equal('élodie');
        expect((await rename('ｅ\u0301LODIE2')).body.code).to.equal('username_taken');
        expect((await rename('Мария')).body.user.username).to.equal('Мария');
        expect((await signIn('мария')).status).to.equal(201);
        expect((await signIn('Élodie')).status).to.equal(401);
        expect((await create('ÉLODIE')).status).to.equal(201);
        expect((await rename('Elodie3')).body.user.username).to.equal('Elodie3');
        expect((await signIn('ELODIE3')).status).to.equal(201);
        expect((await create('мария')).status).to.equal(201);
    });

    lab.test('projects, members, searches and streams of such a user work, and every header is in ASCII', async () => {
        const author = await openAuthor(server, '小野あおい');
        const friend = await openAuthor(server, 'سلمى');
        const project = await author.project({ title: '海', description: '#うみ' });
        const seen: [path: string, answer: Answer][] = [];
        const ask = async (who: typeof author, method: string, path: string, body?: object): Promise<Answer> => {
            const answer = await who.call(method, path, body);
            seen.push([path, answer]);
            return answer;
        };

        const member = `${project.url}/members/${encodeURIComponent('سلمى')}`;
        expect((await ask(author, 'PUT', member, { role: 'editor' })).body.member.user).to.equal({ id: friend.id, username: 'سلمى' });
        expect((await ask(author, 'GET', `${project.url}/members`)).body.members[0].user.username).to.equal('سلمى');
        expect((await ask(author, 'PUT', `${project.url}/members/${encodeURIComponent('ＮＯＢＯＤＹ-here')}`, { role: 'editor' })).status).to.equal(404);
        expect((await ask(author, 'PUT', `${project.url}/members/${encodeURIComponent('a b')}`, { role: 'editor' })).status).to.equal(400);
        expect((await ask(friend, 'DELETE', member, {})).status).to.equal(200);
        for (let n = 0; n < 2; ++n) {
            await author.project({ title: `波 ${n}` });
        }

        for (const path of [`/users/${author.id}/projects?count=1`, `/projects/${project.id}`, `${project.url}/history`, '/projects?count=1', `/p/${project.id}`, `/u/${encodeURIComponent('小野あおい')}`, `/oembed?url=${encodeURIComponent(`http://localhost/p/${project.id}`)}`, `/users/${author.id}/takeout`, `${project.url}/export`]) {
            await ask(author, 'GET', path);
        }

        for (const [path, { headers, status }] of seen) {
            expect(status, path).to.be.below(500);
            for (const [name, value] of Object.entries(headers)) {
                expect(String(value), `${name} of ${path}`).to.match(ascii);
            }
        }
    });

    lab.test('sign-ins are limited by the user, however their name is written', async () => {
        const limited = await startTestServer({ config: { rateLimit: true }, database: server.database });
        await create('Ёжик');
        const forms = ['Ёжик', 'ёжик', 'Е\u0308жик', 'ЁЖИК'];
        const left = [];
        for (const form of forms) {
            left.push((await limited.call('POST', '/tokens', { username: form, password: 'not that one' })).headers['ratelimit-remaining']);
        }

        expect(left).to.equal(forms.map((_form, n) => String(limits.passwordsByName.points - 1 - n)));
        await limited.server.stop();
    });
});
