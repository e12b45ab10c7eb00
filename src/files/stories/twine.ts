import { TEXT_SIZE, checkStory, notAStory, outside } from './story';
import type { Block, LinkTo, Story, StoryPage } from './story';

/** A passage of a story, as the file has it. */
interface Passage {
    id: string;
    name: string;
    text: string;
}

/** Passages that are code, or that only set up the story format: by their tags, and SugarCube's by their names. */
const codeTags = ['script', 'stylesheet', 'Twine.private', 'annotation'];
const setUp = new Set(['StoryAuthor', 'StoryBanner', 'StoryCaption', 'StoryData', 'StoryDisplayTitle', 'StoryInit', 'StoryInterface', 'StoryMenu', 'StorySettings', 'StoryShare', 'StorySubtitle', 'StoryTitle']);

/** `[[Target]]`, `[[Text->Target]]`, `[[Target<-Text]]`, `[[Text|Target]]`, and after it what SugarCube sets. */
const link = /\[\[([^[\]]+)\](?:\[[^[\]]*\])?\]/g;

/** The text and the target of a link, by what is between its brackets. */
function partsOf(inside: string): { text: string; target: string } {
    const [right, left, bar] = [inside.lastIndexOf('->'), inside.indexOf('<-'), inside.lastIndexOf('|')];
    const [text, target] = right >= 0 ? [inside.slice(0, right), inside.slice(right + 2)] :
        left >= 0 ? [inside.slice(left + 2), inside.slice(0, left)] :
            bar >= 0 ? [inside.slice(0, bar), inside.slice(bar + 1)] : [inside, inside];
    return { text: text.trim(), target: target.trim() };
}

/** The text of a passage, and the links of it below. A line of links alone is no text. */
function textBlocks(text: string, names: ReadonlySet<string>): Block[] {
    const links: Block[] = [];
    const lines = text.split(/\r?\n/).map((line) => {
        let around = line.replace(link, '');
        const shown = line.replace(link, (_all, inside: string) => {
            const { text: label, target } = partsOf(inside);
            const to: LinkTo | undefined = names.has(target) ? { page: target } : outside(target);
            if (to !== undefined && label !== '') {
                links.push({ kind: 'link', text: label, to });
            }
            else {
                around += label;
            }

            return label;
        });
        return around.trim() === '' ? '' : shown.trimEnd();
    });
    const words = lines.join('\n').replace(/\n{3,}/g, '\n\n').trim();
    return words === '' ? links : [{ kind: 'text', text: words, size: TEXT_SIZE }, ...links];
}

/** What `readTwine` takes of the parser. */
type Library = Pick<typeof import('htmlparser2', { with: { 'resolution-mode': 'import' } }), 'Parser'>;

/** The passages of a file. @throws 400 if it is not a story of Twine, or broken */
function passagesOf({ Parser }: Library, html: string): { title: string; start: string; passages: Passage[] } {
    const stories: { title: string; start: string }[] = [];
    const passages: Passage[] = [];
    let open: Passage | undefined;
    const parser = new Parser({
        onopentag: (tag, { name = '', startnode = '', pid = '', tags = '' }) => {
            if (tag === 'tw-storydata') {
                stories.push({ title: name, start: startnode });
            }
            else if (tag === 'tw-passagedata') {
                const isCode = tags.split(' ').some((each) => codeTags.includes(each)) || setUp.has(name);
                open = { id: pid, name, text: '' };
                if (!isCode) {
                    passages.push(open);
                }
            }
        },
        ontext: (text) => {
            if (open !== undefined) {
                open.text += text;
            }
        },
        onclosetag: (tag, isImplied) => {
            if (tag === 'tw-passagedata') {
                if (isImplied) {
                    throw notAStory(`The passage ${open === undefined ? 'at its end' : `"${open.name.slice(0, 100)}"`} does not end: the file is cut off or damaged. Publish the story again.`);
                }

                open = undefined;
            }
        }
    });
    parser.write(html);
    parser.end();
    const [story, ...others] = stories;
    if (story === undefined) {
        throw notAStory('The file is not a story of Twine: there is no <tw-storydata> in it. In Twine, use "Publish to File", and send that file.');
    }

    if (others.length > 0) {
        throw notAStory(`The file has ${stories.length} stories. In Twine, publish each to a file of its own.`);
    }

    return { ...story, passages };
}

/** What is shown of a passage: HTML and the macros of SugarCube are left out, but for pictures and the ends of lines. */
function blocksOf({ Parser }: Library, text: string, names: ReadonlySet<string>): Block[] {
    const blocks: Block[] = [];
    let words = '';
    const end = (): void => {
        blocks.push(...textBlocks(words, names));
        words = '';
    };

    const parser = new Parser({
        onopentag: (tag, { src = '', alt = '' }) => {
            if (tag === 'br') {
                words += '\n';
            }
            else if (tag === 'img' && (outside(src) !== undefined || src.startsWith('data:image/'))) {
                end();
                blocks.push({ kind: 'image', src, alt });
            }
        },
        ontext: (more) => {
            words += more;
        }
    });
    parser.write(text.replace(/<<[^<>]*>>/g, ''));
    parser.end();
    end();
    return blocks;
}

/**
 * Reads a story that Twine 2 has published, or that is in its archive: each passage is a page. The time is linear in the length.
 * @throws 400 if it is none
 */
export async function readTwine(html: string): Promise<Story> {
    const library: Library = await import('htmlparser2');
    const { title, start, passages } = passagesOf(library, html);
    const names = new Set(passages.map(({ name }) => name));
    const first = passages.find(({ id }) => id === start);
    const ordered = first === undefined ? passages : [first, ...passages.filter((passage) => passage !== first)];
    const pages: StoryPage[] = ordered.map(({ name, text }) => ({ keys: [name], blocks: blocksOf(library, text, names) }));
    if (pages.length === 0) {
        throw notAStory('The story has no passages.');
    }

    return checkStory({ title, pages });
}
