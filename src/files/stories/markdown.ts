import type { StateInline, Token } from 'markdown-it';

import { withoutComments, withoutFacts } from './markdown-source';
import { TEXT_SIZE, checkStory, outside } from './story';
import type { Block, LinkTo, Story, StoryPage } from './story';

/** Sizes of headings by their level, in units of a page. */
const headings: Readonly<Record<string, number>> = { h1: 28, h2: 24, h3: 21 };

/** The name of a heading in links, as on GitHub: `#to-the-sea`. */
const slugOf = (heading: string): string => heading.trim().toLowerCase().replace(/[^\p{L}\p{M}\p{N} _-]/gu, '').replaceAll(' ', '-');

function decoded(text: string): string {
    try {
        return decodeURIComponent(text);
    }
    catch {
        // It is malformed.
        return text;
    }
}

const LESS_THAN = 0x3c;
const hasScheme = /^\s*[a-z][a-z0-9+.-]*:/i;
const isPicture = (address: string): boolean => /^\s*data:image\//i.test(address);

const targetOf = (href: string): LinkTo | undefined => (href.startsWith('#') ? { page: decoded(href.slice(1)).toLowerCase() } : outside(href));

/** A link in a line: where its words begin, and the pictures in it, and where it leads, if it leads to what a project can show. */
interface OpenLink {
    from: number;
    below: number;
    to: LinkTo | undefined;
}

const none: OpenLink = { from: 0, below: 0, to: undefined };

/** The words of a link that is only a picture. */
const wordsOf = (picture: Block | undefined, to: LinkTo): string => (picture?.kind === 'image' && picture.alt.trim() !== '' ? picture.alt : 'href' in to ? to.href : '→');

/** The words of a line of Markdown, and the links and pictures in it, which come below. */
function inlineOf(children: readonly Token[]): { text: string; around: string; below: Block[] } {
    const below: Block[] = [];
    let [text, around] = ['', ''];
    let link = none;
    for (const child of children) {
        if (child.type === 'link_open') {
            link = { from: text.length, below: below.length, to: targetOf(String(child.attrGet('href'))) };
        }
        else if (child.type === 'link_close') {
            const label = text.slice(link.from).trim();
            const picture = below[link.below];
            if (link.to !== undefined && (label !== '' || picture !== undefined)) {
                below.push({ kind: 'link', text: label || wordsOf(picture, link.to), to: link.to });
            }

            link = none;
        }
        else if (child.type === 'image') {
            const src = String(child.attrGet('src'));
            // Those of pictures in HTML were not looked at by the parser.
            below.push(...isPicture(src) || (src !== '' && !hasScheme.test(src)) || outside(src) !== undefined ? [{ kind: 'image' as const, src, alt: child.content }] : []);
        }
        else {
            const words = child.type === 'softbreak' ? ' ' : child.type === 'hardbreak' ? '\n' : child.content;
            text += words;
            around += link.to === undefined ? words : '';
        }
    }

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

    heading(text: string, tag: string): void {
        const name = slugOf(text);
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

/** A list that an item is in, for what stands before its words. */
interface List {
    /** of a numbered one, the next number */
    next: number | undefined;
}

function pagesOf(tokens: readonly Token[]): StoryPage[] {
    const pages = new Pages();
    const lists: List[] = [];
    let [heading, mark, quotes] = ['', '', 0];
    for (const token of tokens) {
        if (token.type === 'hr' && token.level === 0) {
            pages.end();
        }
        else if (token.type === 'heading_open') {
            heading = token.tag;
        }
        else if (token.type === 'heading_close') {
            heading = '';
        }
        else if (token.type === 'bullet_list_open' || token.type === 'ordered_list_open') {
            lists.push({ next: token.type === 'ordered_list_open' ? Number(token.attrGet('start') ?? 1) : undefined });
        }
        else if (token.type === 'bullet_list_close' || token.type === 'ordered_list_close') {
            lists.pop();
        }
        else if (token.type === 'list_item_open') {
            const list = lists.at(-1);
            mark = `${'  '.repeat(lists.length - 1)}${list?.next === undefined ? '•' : `${list.next++}.`} `;
        }
        else if (token.type === 'blockquote_open' || token.type === 'blockquote_close') {
            quotes += token.nesting;
        }
        else if (token.type === 'fence' || token.type === 'code_block') {
            pages.add({ kind: 'text', text: token.content.trimEnd(), size: 14, styles: { fontFamily: 'monospace' } });
        }
        else if (token.type === 'inline') {
            const { text, around, below } = inlineOf([token.children].flat().filter((child) => child !== null));
            if (heading !== '') {
                pages.heading(text, heading);
            }
            else if (around.trim() !== '') {
                pages.add({ kind: 'text', text: mark + text.trim(), size: TEXT_SIZE, ...quotes > 0 ? { styles: { fontStyle: 'italic' } } : {} });
            }

            mark = '';
            pages.add(...below);
        }
    }

    pages.end();
    return pages.pages;
}

/** The first line of a story, for its title. */
function firstWords([page]: readonly StoryPage[]): string {
    const first = page?.blocks.find((block) => block.kind === 'text');
    return first?.kind === 'text' ? String(first.text.split('\n', 1)[0]) : '';
}

/** `<img src="…" alt="…">`, the one tag of HTML that is taken. */
const imageTag = /<img\s[^<>]*>/iy;
const attribute = (name: string): RegExp => new RegExp(String.raw`\s${name}\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))`, 'i');
const [srcAttribute, altAttribute] = [attribute('src'), attribute('alt')];

/** A rule for pictures in HTML. */
const readImageTag = (state: StateInline, silent: boolean): boolean => {
    imageTag.lastIndex = state.pos;
    const [tag] = state.src.charCodeAt(state.pos) === LESS_THAN ? imageTag.exec(state.src) ?? [] : [];
    if (tag === undefined) {
        return false;
    }

    if (!silent) {
        const valueOf = (pattern: RegExp): string => pattern.exec(tag)?.slice(1).find((value) => value !== undefined) ?? '';
        const token = state.push('image', 'img', 0);
        token.attrs = [['src', valueOf(srcAttribute)]];
        token.content = valueOf(altAttribute);
    }

    state.pos += tag.length;
    return true;
};

/**
 * Reads Markdown (CommonMark): `---` alone in a line begins another page. Links lead to pages by their headings (`#to-the-sea`) or numbers (`#2`).
 * @throws 400 if nothing is in it
 */
export async function readMarkdown(text: string): Promise<Story> {
    const { default: MarkdownIt } = await import('markdown-it');
    // A line of hyphens below a text ends the page there, too, and does not make a heading of the text.
    const parser = new MarkdownIt({ html: false }).disable(['lheading', 'table']);
    parser.inline.ruler.push('image_tag', readImageTag);
    const isSafe = parser.validateLink;
    // Drawings, too: they are shown as pictures, in which nothing runs.
    parser.validateLink = (address) => isSafe(address) || isPicture(address);
    const { title, text: rest } = withoutFacts(text.replaceAll('\r\n', '\n'));
    const pages = pagesOf(parser.parse(withoutComments(rest), {}));
    return checkStory({ title: title ?? firstWords(pages), pages });
}
