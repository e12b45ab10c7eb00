import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const guide = resolve(__dirname, '../../../docs/operations.md');

/**
 * The one block of this language in docs/operations.md, with what is local to a test put into it: so what is written there
 * is what was run. @throws Error where a text to be replaced is not in it
 */
export function documented(language: 'nginx' | 'ini' | 'sql', replacements: Readonly<Record<string, string>>): string {
    const [, block = ''] = new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'ms').exec(readFileSync(guide, 'utf8')) ?? [];
    return Object.entries(replacements).reduce((text, [from, to]) => {
        if (!text.includes(from)) {
            throw new Error(`The ${language} block of docs/operations.md has no "${from}"`);
        }

        return text.replaceAll(from, to);
    }, block);
}
