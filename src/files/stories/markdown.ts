import { unescape } from 'node:querystring';

import type { Token } from 'markdown-it';

import { withoutComments, withoutFacts } from './markdown-source';
import { TEXT_SIZE, checkStory, outside } from './story';
import type { Block, LinkTo, Story, StoryPage } from './story';

/** Sizes of headings by their level, in units of a page. */
const headings: Readonly<Record<string, number>> = { h1: 28, h2: 24, h3: 21 };

/** The name of a heading in links, as on GitHub: `#to-the-sea`. */
const slugOf = (heading: string): string => heading.trim().toLowerCase().replace(/[^\p{L}\p{M}\p{N} _-]/gu, '').replaceAll(' ', '-');

const hasScheme = /^\s*[a-z][a-z0-9+.-]*:/i;
const isPicture = (address: string): boolean => /^\s*data:image\//i.test(address);

const targetOf = (href: string): LinkTo | undefined => (href.startsWith('#') ? { page: unescape(href.slice(1)).toLowerCase() } : outside(href));

/** The words of a link that is only a picture. */
const wordsOf = (picture: Block | undefined, to: LinkTo): string => (picture?.kind === 'image' && picture.alt.trim() !== '' ? picture.alt : 'href' in to ? to.href : '→');

/** The value of an attribute of a tag; empty if it has none. */
const attributeOf = (tag: string, name: string): string =>
    new RegExp(String.raw`\s${name}\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))`, 'i').exec(tag)?.slice(1).find((value) => value !== undefined) ?? '';

/** The words of a line, and the links and pictures in it, which come below. HTML is left out, but for links, pictures and ends of lines. */
function inlineOf(children: readonly Token[]): { text: string; around: string; below: Block[] } {
    const below: Block[] = [];
    let [text, around] = ['', ''];
    /** a link that is open: where its words and pictures begin, and where it leads, if it leads to what a project can show */
    let link: { from: number; at: number; to: LinkTo | undefined } | undefined;
    const begin = (href: string): void => {
        link = { from: text.length, at: below.length, to: targetOf(href) };
    };

    const add = (words: string): void => {
        text += words;
        around += link?.to === undefined ? words : '';
    };

    const show = (src: string, alt: string): void => {
        below.push(...isPicture(src) || (src !== '' && !hasScheme.test(src)) || outside(src) !== undefined ? [{ kind: 'image' as const, src, alt }] : []);
    };

    const end = (): void => {
        const [words, picture] = [text.slice(link?.from).trim(), below[link?.at ?? below.length]];
        below.push(...link?.to === undefined || (words === '' && picture === undefined) ? [] : [{ kind: 'link' as const, text: words || wordsOf(picture, link.to), to: link.to }]);
        link = undefined;
    };

    const readers: Readonly<Record<string, (token: Token) => void>> = {
        link_open: (token) => begin(String(token.attrGet('href'))),
        link_close: end,
        image: (token) => show(String(token.attrGet('src')), token.content),
        softbreak: () => add(' '),
        hardbreak: () => add('\n'),
        html_inline: ({ content: tag }) => {
            const [, name = ''] = /^<(\/?[a-z0-9]+)/i.exec(tag.toLowerCase()) ?? [];
            const tags: Readonly<Record<string, () => void>> = {
                'img': () => show(attributeOf(tag, 'src'), attributeOf(tag, 'alt')), 'a': () => begin(attributeOf(tag, 'href')), '/a': end, 'br': () => add('\n')
            };
            tags[name]?.();
        }
    };
    children.forEach((token) => (readers[token.type] ?? (({ content }) => add(content)))(token));
    return { text, around, below };
}

/** Collects the pages of a file. */
class Pages {
    readonly pages: { keys: string[]; blocks: Block[] }[] = [];
    /** how often a heading was there, by its name, as the second one is named `cave-1` */
    readonly #names = new Map<string, number>();
    #keys: string[] = [];
    #blocks: Block[] = [];

    add(...blocks: readonly Block[]): void {
        this.#blocks.push(...blocks);
    }

    heading(words: string, tag: string): void {
        const [, text = words, id] = /^(.*\S)\s*\{#([\w-]+)(?:\s[^{}]*)?\}\s*$/.exec(words) ?? [];
        const name = id?.toLowerCase() ?? slugOf(text);
        let [free, count] = [name, this.#names.get(name) ?? 0];
        while (this.#names.has(free)) {
            free = `${name}-${++count}`;
        }

        this.#names.set(name, count).set(free, 0);
        this.#keys.push(free);
        this.add({ kind: 'text', text, size: headings[tag] ?? TEXT_SIZE, styles: { fontWeight: 'bold' } });
    }

    /** Ends a page. One on which nothing is, as before the first line or after the last, is none. */
    end(): void {
        if (this.#blocks.length > 0) {
            this.pages.push({ keys: [String(this.pages.length + 1), ...this.#keys], blocks: this.#blocks });
        }

        [this.#keys, this.#blocks] = [[], []];
    }
}

function pagesOf(tokens: readonly Token[]): StoryPage[] {
    const pages = new Pages();
    /** the lists that an item is in, for what stands before its words: of a numbered one, the next number */
    const lists: { next: number | undefined }[] = [];
    /** the cells of a table, and what comes below it */
    let table: { rows: string[][]; below: Block[] } | undefined;
    let [heading, mark, quotes] = ['', '', 0];
    const openList = (token: Token): void => void lists.push({ next: token.tag === 'ol' ? Number(token.attrGet('start') ?? 1) : undefined });
    const quote = ({ nesting }: Token): void => {
        quotes += nesting;
    };

    const code = ({ content }: Token): void => pages.add({ kind: 'text', text: content.trimEnd(), size: 14, styles: { fontFamily: 'monospace' } });
    const readers: Readonly<Record<string, (token: Token) => void>> = {
        hr: ({ level }) => level === 0 && pages.end(),
        // A line of hyphens below a text ends the page there, too, and does not make a heading of the text.
        heading_open: ({ tag, markup }) => {
            heading = markup === '-' ? '' : tag;
        },
        heading_close: ({ markup, level }) => {
            heading = '';
            return markup === '-' && level === 0 && pages.end();
        },
        bullet_list_open: openList, ordered_list_open: openList, bullet_list_close: () => lists.pop(), ordered_list_close: () => lists.pop(),
        list_item_open: () => {
            const list = lists.at(-1);
            mark = `${'  '.repeat(lists.length - 1)}${list?.next === undefined ? '•' : `${list.next++}.`} `;
        },
        blockquote_open: quote, blockquote_close: quote, fence: code, code_block: code,
        table_open: () => {
            table = { rows: [], below: [] };
        },
        tr_open: () => table?.rows.push([]),
        table_close: () => {
            pages.add({ kind: 'text', text: (table?.rows ?? []).map((cells) => cells.join(' | ')).join('\n'), size: TEXT_SIZE }, ...table?.below ?? []);
            table = undefined;
        },
        inline: ({ children }) => {
            const { text, around, below } = inlineOf([children].flat().filter((child) => child !== null));
            if (table !== undefined) {
                table.rows.at(-1)?.push(text.trim());
                table.below.push(...below);
                return;
            }

            if (heading !== '') {
                pages.heading(text, heading);
            }
            else if (around.trim() !== '') {
                pages.add({ kind: 'text', text: mark + text.trim(), size: TEXT_SIZE, ...quotes > 0 ? { styles: { fontStyle: 'italic' } } : {} });
            }

            mark = '';
            pages.add(...below);
        }
    };
    tokens.forEach((token) => readers[token.type]?.(token));
    pages.end();
    return pages.pages;
}

/** The first line of a story, for its title. */
function firstWords([page]: readonly StoryPage[]): string {
    const first = page?.blocks.find((block) => block.kind === 'text');
    return first?.kind === 'text' ? String(first.text.split('\n', 1)[0]) : '';
}

/**
 * Reads Markdown (CommonMark): `---` alone in a line begins another page. Links lead to pages by their headings (`#to-the-sea`) or numbers (`#2`).
 * @throws 400 if nothing is in it
 */
export async function readMarkdown(text: string): Promise<Story> {
    const { default: MarkdownIt } = await import('markdown-it');
    const parser = new MarkdownIt({ html: true }).disable('html_block');
    // Where links and pictures may lead is looked at here.
    parser.validateLink = () => true;
    const { title, text: rest } = withoutFacts(text.replace(/\r\n?/g, '\n'));
    const pages = pagesOf(parser.parse(withoutComments(rest), {}));
    return checkStory({ title: title ?? firstWords(pages), pages });
}
