import { leadsOut } from '../../../client/src/render/elements';
import { fault } from '../../api/errors/errors';

/** Something on a page of a story, one below the other. */
export type Block =
    | { kind: 'text'; text: string; size: number; styles?: Readonly<Record<string, string>> }
    | { kind: 'link'; text: string; to: LinkTo }
    | { kind: 'image'; src: string; alt: string };

/** Where a link leads: to the page with a key, or to an address. */
export type LinkTo = { page: string } | { href: string };

/** A page of a story, by the keys that links name it by. */
export interface StoryPage {
    keys: readonly string[];
    blocks: readonly Block[];
}

/** A story written elsewhere, before it becomes a project. The first page is where it begins. */
export interface Story {
    title: string;
    pages: readonly StoryPage[];
}

/** The size of letters that is usual, in units of a page. */
export const TEXT_SIZE = 18;

/** The most that is in one file: paragraphs, links and pictures, and letters of all texts, which are several novels. */
const MAX_BLOCKS = 100_000;
const MAX_LETTERS = 2_000_000;

/** 400 for a file that is no story. @param message what is wrong, and what to do */
export const notAStory = (message: string): Error => fault('type_mismatch', message);

/** @throws 400 if a story is empty, or has more in it than becomes a project */
export function checkStory(story: Story): Story {
    if (story.pages.length === 0) {
        throw notAStory('The file has no text.');
    }

    const blocks = story.pages.flatMap((page) => page.blocks);
    const letters = blocks.reduce((sum, block) => sum + (block.kind === 'image' ? 0 : block.text.length), 0);
    if (blocks.length > MAX_BLOCKS || letters > MAX_LETTERS) {
        throw notAStory(`The file has more than ${MAX_BLOCKS} paragraphs and links, or more than ${MAX_LETTERS} letters. Split it into several.`);
    }

    return story;
}

/** A link to an address, if the player follows it. Of one that begins with `www.`, the scheme was left out. */
export function outside(address: string): LinkTo | undefined {
    const href = /^www\./i.test(address) ? `https://${address}` : address;
    return leadsOut(href) ? { href } : undefined;
}
