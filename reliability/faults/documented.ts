import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const guide = resolve(__dirname, '../../../docs/operations.md');

/**
 * The first block of this language in docs/operations.md, with local values of a test filled in: so the documented
 * configuration is what is tested. @throws Error if a text to be replaced is missing
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
