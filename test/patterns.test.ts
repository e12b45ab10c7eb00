import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { expect } from '@hapi/code';
import { script } from '@hapi/lab';
import ts from 'typescript';

import { textFaults } from '../src/api/json/unstorable-text';
import { thumbnail } from '../src/api/representations/project';

export const lab = script();

const root = join(__dirname, '..');
const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter((name) => /\.[jt]s$/.test(name));

/** The regular expressions in a source file: the literals, and the number of calls that build others. */
function patternsIn(name: string): { literals: string[]; made: number } {
    const literals: string[] = [];
    let made = 0;
    const visit = (node: ts.Node): void => {
        if (ts.isRegularExpressionLiteral(node)) {
            literals.push(node.text);
        }
        else if ((ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText() === 'RegExp') {
            ++made;
        }

        ts.forEachChild(node, visit);
    };

    visit(ts.createSourceFile(name, readFileSync(join(root, 'src', name), 'utf8'), ts.ScriptTarget.Latest, true));
    return { literals, made };
}

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

    lab.test('are each explained in docs/security.md', () => {
        const [, section = ''] = readFileSync(join(root, 'docs/security.md'), 'utf8').split('## Regular expressions\n');
        const argued = [...section.matchAll(/^```\n(.*?)^```$/gms)].flatMap(([, block = '']) => block.trimEnd().split('\n'));
        const missing = sources.flatMap((name) => patternsIn(name).literals.filter((one) => !argued.includes(one)).map((one) => `${name}: ${one}`));
        expect(argued.length).to.be.above(30);
        expect(missing).to.equal([]);
    });

    lab.test('are built from parts only in the files that docs/security.md lists', () => {
        const made = sources.filter((name) => patternsIn(name).made > 0).sort();
        expect(made).to.equal(['api/json/tokens.ts', 'api/request/cross-origin.ts', 'api/request/schema.ts', 'community/search/words.ts', 'projects/bulk/schema.ts']);
    });

    lab.test('take little time for any rejected input', { timeout: 60_000 }, () => {
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
