import { pageHeight, pageWidth } from '../../../client/src/render';
import { FORMAT } from '../format/schema';
import type { Block, Story } from './story';

/** Room around what is on a page, and between two blocks, in units of a page. */
const MARGIN = 20;
const GAP = 8;
const WIDTH = pageWidth - 2 * MARGIN;
/** Where a page ends. Below is room for the link to the rest. */
const BOTTOM = pageHeight - 35;
const IMAGE_HEIGHT = 160;

/** Height of a line, and about the width of a letter, for letters of size 1. Letters of Chinese, Japanese and Korean, and emoji, are as wide as two. */
const LINE = 1.4;
const LETTER = 0.52;
const wide = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\u{1f300}-\u{1faff}\u{20000}-\u{3ffff}]/u;

/** The sizes that are tried, one after the other, until all of a page has room; with the last one, it goes on on further pages. */
const SCALES = [1, 0.85, 0.7, 0.55] as const;
const SMALLEST = 0.55;

/** Letters that have no room on one page in any size. */
const TOO_MANY = 2500;

const LINK_SIZE = 18;

/** An element before it has the id of the page that it leads to. */
interface Placed {
    type: 'text' | 'link' | 'image';
    attributes: Record<string, string>;
    styles: Record<string, number | string>;
    /** the key of the page that it leads to */
    page?: string;
    /** whether it leads to the rest of its page */
    goesOn?: true;
}

/** The words of each line that a text takes, about as browsers break it. Nothing is lost: joined, they are the text again. */
function linesOf(text: string, size: number): string[] {
    const columns = Math.max(1, Math.floor(WIDTH / (size * LETTER)));
    return text.split('\n').flatMap((line) => {
        const lines: string[] = [];
        let [current, width] = ['', 0];
        for (const word of line.match(/\S{1,20}|\s+/g) ?? []) {
            const needed = wide.test(word) ? [...word].reduce((sum, letter) => sum + (wide.test(letter) ? 2 : 1), 0) : word.length;
            if (width > 0 && width + needed > columns && word.trim() !== '') {
                lines.push(current);
                [current, width] = ['', 0];
            }

            current += word;
            width += needed;
        }

        return [...lines, `${current}\n`];
    });
}

const sizeOf = (block: Block, scale: number): number => Math.round((block.kind === 'text' ? block.size : LINK_SIZE) * scale * 10) / 10;

const heightOf = (block: Block, scale: number): number => (block.kind === 'image' ? IMAGE_HEIGHT * scale : linesOf(block.text, sizeOf(block, scale)).length * sizeOf(block, scale) * LINE);

function placed(block: Block, top: number, scale: number): Placed {
    const styles = { left: MARGIN, top: Math.round(top), width: WIDTH };
    if (block.kind === 'image') {
        return { type: 'image', attributes: { src: block.src, alt: block.alt }, styles: { ...styles, height: Math.round(IMAGE_HEIGHT * scale), objectFit: 'contain' } };
    }

    const look = { ...styles, fontSize: sizeOf(block, scale) };
    if (block.kind === 'text') {
        return { type: 'text', attributes: { text: block.text }, styles: { ...look, ...block.styles } };
    }

    return { type: 'link', attributes: { text: block.text, ...'href' in block.to ? { href: block.to.href } : {} }, styles: look, ...'page' in block.to ? { page: block.to.page } : {} };
}

/** The largest size in which all blocks have room on one page. */
function scaleOf(blocks: readonly Block[]): number {
    const letters = blocks.reduce((sum, block) => sum + (block.kind === 'image' ? 0 : block.text.length), 0);
    const fitting = letters > TOO_MANY ? undefined : SCALES.find((scale) => blocks.reduce((sum, block) => sum + heightOf(block, scale) + GAP, 0) <= BOTTOM - MARGIN);
    return fitting ?? SMALLEST;
}

/** The elements of a page, one below the other, and of the pages on which it goes on if it has no room. */
function elementsOf(blocks: readonly Block[]): Placed[][] {
    const scale = scaleOf(blocks);
    let current: Placed[] = [];
    const pages = [current];
    let top = MARGIN;
    const goOn = (): void => {
        current.push({ type: 'link', attributes: { text: '→' }, styles: { left: MARGIN, top: BOTTOM + 5, width: WIDTH, fontSize: LINK_SIZE, textAlign: 'right' }, goesOn: true });
        current = [];
        pages.push(current);
        top = MARGIN;
    };

    const place = (block: Block, height: number): void => {
        current.push(placed(block, top, scale));
        top += height + GAP;
    };

    for (const block of blocks) {
        if (block.kind === 'text') {
            const height = sizeOf(block, scale) * LINE;
            const lines = linesOf(block.text, sizeOf(block, scale));
            const textOf = (from: number, to: number): string => lines.slice(from, to).join('').replace(/\n$/, '');
            let at = 0;
            for (let room = Math.floor((BOTTOM - top) / height); lines.length - at > room; room = Math.floor((BOTTOM - top) / height)) {
                if (room > 0) {
                    place({ ...block, text: textOf(at, at + room) }, 0);
                    at += room;
                }

                goOn();
            }

            place({ ...block, text: textOf(at, lines.length) }, (lines.length - at) * height);
        }
        else {
            const height = heightOf(block, scale);
            if (top > MARGIN && height > BOTTOM - top) {
                goOn();
            }

            place(block, height);
        }
    }

    return pages;
}

/** The title of a project: a line of at most 256 letters. */
const titleOf = (title: string): string => [...title.slice(0, 1000).replace(/\s+/g, ' ').trim()].slice(0, 256).join('') || 'Story';

/** A story as the content of `project.json`: its pages stand in a row, in their order. */
export function projectOf({ title, pages }: Story): object {
    const laidOut = pages.map(({ keys, blocks }) => ({ keys, parts: elementsOf(blocks) }));
    const ids = new Map<string, string>();
    let id = 0;
    for (const { keys, parts } of laidOut) {
        // Of several pages with one name, links lead to the first.
        const first = String(id + 1);
        keys.filter((key) => !ids.has(key)).forEach((key) => ids.set(key, first));
        id += parts.length;
    }

    return {
        format: FORMAT.project,
        version: FORMAT.version,
        project: { title: titleOf(title) },
        pages: laidOut.flatMap(({ parts }) => parts).map((elements, index) => ({
            id: String(index + 1), x: index, y: 0,
            elements: elements.map(({ page, goesOn, ...element }) => {
                const target = goesOn ? String(index + 2) : page === undefined ? undefined : ids.get(page);
                return target === undefined ? element : { ...element, attributes: { ...element.attributes, targetPageId: target } };
            })
        }))
    };
}
