import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { expect } from '@hapi/code';
import { script } from '@hapi/lab';
import { ESLint } from 'eslint';

import { textFaults } from '../src/api/json/unstorable-text';
import { thumbnail } from '../src/api/representations/project';

export const lab = script();

const root = join(__dirname, '..');
const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter((name) => /\.[jt]s$/.test(name));

/**
 * The files that build regular expressions from parts, which lint cannot read, and why those take time that is linear in the length of the input.
 * Lint checks all others.
 */
const built: Readonly<Record<string, string>> = {
    'api/json/tokens.ts': 'small free-form objects are matched at one place: at most 51 members of at most 500 characters, each part of which can begin with one character only, so it is read once',
    'api/representations/username.ts': 'anchored at both ends: at most 20 characters, all of one set or another',
    'api/request/cross-origin.ts': 'anchored at both ends: the paths with fixed headers, a fixed number of alternatives, each of words and of segments without a slash',
    'api/request/schema.ts': 'anchored at both ends: ids are alternatives with a fixed number of digits each, or the word `me`',
    'community/comments/mentions.ts': 'a sign with no letter before it, and at most 80 characters of one set, searched anywhere',
    'community/filters/look-alikes.ts': 'one of several characters, searched anywhere',
    'community/search/words.ts': 'one of several letters, searched anywhere; runs of letters, taken character by character, as what follows cannot be a part of it; one character at the start',
    'files/stories/markdown-source.ts': 'the end of a fence, anchored at the beginning of a line: a run of one letter, then blanks',
    'files/stories/markdown.ts': 'an attribute of a tag that is at most a line: a name, and a value without the sign that ends it',
    'files/stories/twine/chapbook.ts': 'a name, blanks, and one literal, which is a text without its quotation mark or a number',
    'files/stories/twine/harlowe.ts': 'one or two literals after the name of a macro, anchored at its beginning',
    'files/stories/twine/links.ts': 'a literal, which is a text without its quotation mark, or a bracket, in a link of at most 500 characters',
    'files/stories/twine/markup.ts': 'a sign, at most 1,000 characters of a line, and the sign again',
    'files/stories/twine/sugarcube.ts': 'one or two literals or a link after the name of a macro, anchored at its beginning',
    'projects/bulk/schema.ts': 'anchored at both ends: ids or references, which are either of those'
};

/** Whether a source file builds regular expressions. */
const builds = (name: string): boolean => /(?<![.\w])RegExp\(/.test(readFileSync(join(root, 'src', name), 'utf8'));

/** CPU time in milliseconds that work takes, the best of three runs. */
function cpu(work: () => void): number {
    return Math.min(...Array.from({ length: 3 }, () => {
        const from = process.cpuUsage();
        work();
        const { user, system } = process.cpuUsage(from);
        return (user + system) / 1000;
    }));
}

lab.experiment('Regular expressions', () => {

    lab.test('are built from parts only in files with a reason', () => {
        expect(sources.filter(builds).sort()).to.equal(Object.keys(built));
    });

    lab.test('are rejected by lint if their time is not linear, in all of src', async () => {
        const [{ messages } = { messages: [] }] = await new ESLint({ cwd: root }).lintText('export const slow = /(?:a+)+$/;\nexport const far = /a+b/;\n', { filePath: join(root, 'src/projects/slow.ts') });
        expect(messages.map(({ ruleId }) => ruleId)).to.include(['regexp/no-super-linear-backtracking', 'regexp/no-super-linear-move']);
    });

    lab.test('take little time for any rejected input', () => {
        const length = 20_000;
        // Far too long, but still checked, because all errors are reported at once.
        const urls = [`http://${'a'.repeat(length)} `, `http://${'a'.repeat(length)}\n`, `http://${' '.repeat(length)}`, `http://${'/'.repeat(length)} `];
        for (const url of urls) {
            expect(cpu(() => void thumbnail.validate({ 320: url }, { abortEarly: false })), url.slice(0, 20)).to.be.below(100);
        }

        // As many digits in a row as allowed, again and again.
        const digits = `${'1'.repeat(299)},`.repeat(10_000);
        expect(cpu(() => void textFaults(digits, 1))).to.be.below(200);
    });
});
