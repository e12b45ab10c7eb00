/** A font that comes with the site: pages look the same on every device, and in thumbnails. */
export interface Font {
    family: string;
    /** how its files in `web/fonts/` begin, and what its package is called (`tools/fonts/package.json`) */
    from: string;
    weights: readonly number[];
    /** the general names of CSS that it is shown for; null if authors do not choose it: it is there for letters that others lack */
    generic: readonly string[] | null;
    /** what its files call it, if that is another name: thumbnails are drawn by the names in files */
    named?: string;
    /** the one file of the package that is used, and the letters it is loaded for; without it, those of all scripts */
    only?: { file: string; letters: string };
    /** fonts of a device that are used instead, if it has one. Files that are taken along, and thumbnails, do without this font. */
    instead?: readonly string[];
}

/**
 * All fonts of the site. This is the one list of them: the build makes the files, the renderer and the editor's menu use the names, and thumbnails
 * are drawn with them. It imports nothing, because the build reads it.
 */
export const fonts: readonly Font[] = [
    { family: 'Noto Sans', from: 'noto-sans', weights: [400, 700], generic: ['sans-serif', 'system-ui', 'ui-sans-serif'] },
    { family: 'Nunito', from: 'nunito', named: 'Nunito ExtraLight', weights: [400, 700], generic: ['ui-rounded'] },
    { family: 'Comic Neue', from: 'comic-neue', weights: [400, 700], generic: ['fantasy'] },
    { family: 'Patrick Hand', from: 'patrick-hand', weights: [400], generic: ['cursive'] },
    { family: 'Lora', from: 'lora', weights: [400, 700], generic: ['serif', 'ui-serif'] },
    { family: 'Roboto Mono', from: 'roboto-mono', weights: [400, 700], generic: ['monospace', 'ui-monospace'] },
    { family: 'Press Start 2P', from: 'press-start-2p', weights: [400], generic: [] },
    { family: 'Noto Sans Arabic', from: 'noto-sans-arabic', weights: [400, 700], generic: null, only: { file: 'arabic', letters: 'U+0600-06FF,U+0750-077F,U+0870-088E,U+0890-0891,U+0897-08FF,U+FB50-FDFF,U+FE70-FEFC' } },
    { family: 'Noto Sans SC', from: 'noto-sans-sc', named: 'Noto Sans SC Thin', weights: [400], generic: null, only: { file: 'chinese-simplified', letters: 'U+2E80-2FDF,U+3000-30FF,U+31C0-31FF,U+3400-4DBF,U+4E00-9FFF,U+F900-FAFF,U+FE30-FE4F,U+FF00-FFEF' } },
    // In parts of 20 KB to 1.2 MB, for devices that have emoji in black, or none.
    { family: 'Noto Color Emoji', from: 'noto-color-emoji', weights: [400], generic: null, instead: ['Apple Color Emoji', 'Segoe UI Emoji', 'Noto Color Emoji'] }
];

/** Emoji of thumbnails. The first font has no colours: it is for what has no picture of the second. */
export const emojiFont: Font = { family: 'Noto Emoji', from: 'noto-emoji', weights: [400], generic: null, only: { file: 'emoji', letters: 'U+1F000-1FAFF' } };

/** The names that authors choose from; the first is shown where none is chosen. */
export const fontNames: readonly string[] = fonts.filter(({ generic }) => generic !== null).map(({ family }) => family);

export const colourEmojiFont: Font = { family: 'Noto Color Emoji', from: 'noto-color-emoji', weights: [400], generic: null, only: { file: 'emoji', letters: 'U+1F000-1FAFF' } };

/** Letters of thumbnails that no other font has. */
export const lastFont: Font = { family: 'DejaVu Sans', from: 'dejavu-sans', weights: [400, 700], generic: null, only: { file: 'all', letters: 'U+0-10FFFF' } };
