import { checkStory, notAStory, outside } from '../story';
import type { Block, Story, StoryPage } from '../story';
import { readChapbook } from './chapbook';
import { readHarlowe } from './harlowe';
import { LEFT_OUT, linkTo, withoutCode } from './left-out';
import { textBlocks } from './links';
import { plainOf } from './markup';
import type { Plain } from './markup';
import { readMacros } from './sugarcube';

/** A passage of a story, as the file has it. Blanks around names do not count, as in links. */
interface Passage {
    id: string;
    name: string;
    text: string;
}

/** A story as the file has it. */
interface TwineStory {
    title: string;
    /** the id of the passage that it begins with */
    start: string;
    /** the name of its story format in lower case */
    format: string;
    passages: Passage[];
    /** data URIs by the names of the passages that are pictures */
    pictures: Map<string, string>;
}

/** Tags of passages that are code, or sounds and films. */
const codeTags = ['script', 'stylesheet', 'annotation', 'Twine.private', 'Twine.audio', 'Twine.video', 'Twine.vtt'];
const PICTURE_TAG = 'Twine.image';

/** Tags of passages that a format runs, or shows around others. */
const tagsOf: Readonly<Record<string, readonly string[]>> = {
    sugarcube: ['init', 'widget'],
    harlowe: ['startup', 'header', 'footer', 'debug-startup', 'debug-header', 'debug-footer']
};

/** Names of passages that SugarCube and its forerunners run, or show around others. */
const setUp = new Set([
    'PassageDone', 'PassageFooter', 'PassageHeader', 'PassageReady', 'StoryAuthor', 'StoryBanner', 'StoryCaption', 'StoryData', 'StoryDisplayTitle', 'StoryIncludes', 'StoryInit', 'StoryInterface', 'StoryMenu', 'StorySettings',
    'StoryShare', 'StorySubtitle', 'StoryTitle'
]);

/** Most letters of a picture in a passage, and of all together, as a picture may be shown often. */
const MAX_OF_PICTURE = 1_900_000;
const MAX_OF_PICTURES = 8_000_000;

/** The parser library of `readTwine`. */
type Library = Pick<typeof import('htmlparser2', { with: { 'resolution-mode': 'import' } }), 'Parser'>;

/** The passages of a file. @throws 400 if it is not a story of Twine, or broken */
function storyIn({ Parser }: Library, html: string): TwineStory {
    const stories: Pick<TwineStory, 'title' | 'start' | 'format'>[] = [];
    const [passages, pictures]: [Passage[], Passage[]] = [[], []];
    let open: Passage | undefined;
    const parser = new Parser({
        onopentag: (tag, { name = '', startnode = '', pid = '', tags = '', format = '' }) => {
            if (tag === 'tw-storydata') {
                stories.push({ title: name, start: startnode, format: format.toLowerCase() });
            }
            else if (tag === 'tw-passagedata') {
                const list = tags.split(/\s+/);
                const code = [...codeTags, ...tagsOf[stories.at(-1)?.format ?? ''] ?? []];
                open = { id: pid, name: name.trim(), text: '' };
                if (list.includes(PICTURE_TAG)) {
                    pictures.push(open);
                }
                else if (!list.some((each) => code.includes(each)) && !setUp.has(open.name)) {
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
    if (story === undefined || others.length > 0) {
        throw notAStory(story === undefined ? 'The file is not a story of Twine: there is no <tw-storydata> in it. In Twine, use "Publish to File", and send that file.' :
            `The file has ${stories.length} stories. In Twine, publish each to a file of its own.`);
    }

    return { ...story, passages, pictures: new Map(pictures.map(({ name, text }) => [name, text.trim()])) };
}

/** Readers of passages by their format, beside what all formats have. */
const readers: Readonly<Record<string, (text: string) => string>> = { harlowe: readHarlowe, chapbook: readChapbook };

/** Finds the pictures of a story: in passages of their own, or by their addresses. */
function pictureFinder(pictures: ReadonlyMap<string, string>): (source: string) => string | undefined {
    let left = MAX_OF_PICTURES;
    return (source) => {
        const picture = pictures.get(source.trim());
        const isShown = picture?.startsWith('data:image/') === true && picture.length <= Math.min(MAX_OF_PICTURE, left);
        left -= isShown ? picture.length : 0;
        return isShown ? picture : outside(source) !== undefined || source.startsWith('data:image/') ? source : undefined;
    };
}

/** Elements that are on lines of their own. */
const lineTags = new Set('br p div hr h1 h2 h3 h4 h5 h6 ul ol li dl dt dd table tr blockquote pre section article header footer figure center'.split(' '));

/** Blocks of a passage: HTML and what only the story format runs is left out, but for pictures, links and the ends of lines. */
function blocksOf({ Parser }: Library, text: string, names: ReadonlySet<string>, pictureAt: ReturnType<typeof pictureFinder>, plain: Plain): Block[] {
    const blocks: Block[] = [];
    let words = '';
    /** a link in HTML that is open, where its words begin and where it leads */
    let link: { tag: string; from: number; target: string } | undefined;
    const endLink = (): void => {
        words = link === undefined ? words : words.slice(0, link.from) + linkTo(words.slice(link.from), link.target);
        link = undefined;
    };

    const end = (): void => {
        endLink();
        blocks.push(...textBlocks(withoutCode(words), names, plain));
        words = '';
    };

    const parser = new Parser({
        onopentag: (tag, attributes) => {
            const target = attributes['data-passage'] ?? (tag === 'a' ? attributes.href : undefined);
            if (tag === 'img') {
                const src = pictureAt(attributes['data-source'] ?? attributes['data-passage'] ?? attributes.src ?? '');
                words += LEFT_OUT;
                // One in a link stands before it.
                if (src !== undefined && words.lastIndexOf('[[') <= words.lastIndexOf(']]')) {
                    end();
                }

                blocks.push(...src === undefined ? [] : [{ kind: 'image' as const, src, alt: attributes.alt ?? '' }]);
            }
            else if (target !== undefined) {
                endLink();
                link = { tag, from: words.length, target };
            }
            else {
                words += lineTags.has(tag) ? '\n' : '';
            }
        },
        ontext: (more) => {
            words += more;
        },
        onclosetag: (tag) => {
            if (link?.tag === tag) {
                endLink();
            }

            words += lineTags.has(tag) && tag !== 'br' ? '\n' : '';
        }
    });
    parser.write(text);
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
    const { title, start, format, passages, pictures } = storyIn(library, html);
    const names = new Set(passages.map(({ name }) => name));
    const [pictureAt, plain, read = String] = [pictureFinder(pictures), plainOf(format), readers[format]];
    const first = passages.find(({ id }) => id === start);
    const ordered = first === undefined ? passages : [first, ...passages.filter((passage) => passage !== first)];
    const pages: StoryPage[] = ordered.map(({ name, text }) => ({ keys: [name], blocks: blocksOf(library, read(readMacros(text, format === 'sugarcube')), names, pictureAt, plain) }));
    if (pages.length === 0) {
        throw notAStory('The story has no passages.');
    }

    return checkStory({ title, pages });
}
