import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const docs = resolve(__dirname, '../../../docs');

/**
 * The first block of this language in a page of docs, with local values of a test filled in: so the documented
 * configuration is what is tested. @throws Error if a text to be replaced is missing
 */
export function documented(language: 'haproxy' | 'ini' | 'nginx' | 'sh' | 'sql' | 'yaml', replacements: Readonly<Record<string, string>>, page = 'deploy.md'): string {
    const [, block = ''] = new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'ms').exec(readFileSync(resolve(docs, page), 'utf8')) ?? [];
    return Object.entries(replacements).reduce((text, [from, to]) => {
        if (!text.includes(from)) {
            throw new Error(`The ${language} block of docs/${page} has no "${from}"`);
        }

        return text.replaceAll(from, to);
    }, block);
}
