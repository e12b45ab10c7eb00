'use strict';

/** The fonts of the site: files for browsers, which load those of the letters they show, and the same for drawing thumbnails. */
const { copyFileSync, mkdirSync, readFileSync } = require('node:fs');
const { join } = require('node:path');

const { transformSync } = require('esbuild');

/** The files, which tools/fonts/take.js takes from npm, with the letters of those that have their script in their names. */
const folder = exports.folder = join(__dirname, 'fonts');

/** The one list of fonts. */
exports.readList = function () {

    const { code } = transformSync(readFileSync(join(__dirname, '../client/src/render/fonts.ts'), 'utf8'), { loader: 'ts' });
    return import(`data:text/javascript,${encodeURIComponent(code)}`);
};

/** The files of a font by its scripts, without their endings. */
const namesOf = exports.namesOf = ({ from, weights }, scripts) => weights.flatMap((weight) => scripts.map((script) => ({ script, weight, name: `${from}-${script}-${weight}-normal` })));

/** The files of a font, with the letters that each is for. */
const filesOf = function (font) {

    const { family, from, only, instead = [] } = font;
    const ranges = only === undefined ? JSON.parse(readFileSync(join(folder, 'letters.json'), 'utf8'))[from] : { [only.file]: only.letters };
    return namesOf(font, Object.keys(ranges)).map(({ script, weight, name }) => ({ family, weight, letters: ranges[script], instead, name, file: join(folder, `${name}.woff2`) }));
};

const face = ({ family, weight, letters, instead, file }) => `@font-face{font-family:'${family}';font-weight:${weight};font-display:swap;src:${instead.map((name) => `local('${name}'),`).join('')}url('${file}') format('woff2');unicode-range:${letters}}`;

/** @returns the styles, as a plugin of esbuild for `@import 'fonts'`, `faces`, which lists the files that are taken along, and `draw`, which writes what thumbnails are drawn with into a folder */
exports.readFonts = async function () {

    const { fonts, emojiFont, colourEmojiFont, lastFont } = await exports.readList();
    const { default: decompress } = await import('woff2-encoder/decompress');
    const shown = fonts.flatMap(filesOf);
    const taken = shown.filter(({ instead }) => instead.length === 0);
    return {
        faces: taken.map(({ family, weight, letters, name }) => ({ family, weight, letters, name })),
        plugin: {
            name: 'fonts',
            setup: (build) => {

                build.onResolve({ filter: /^fonts$/ }, () => ({ path: 'fonts', namespace: 'fonts' }));
                build.onLoad({ filter: /.*/, namespace: 'fonts' }, () => ({ contents: shown.map(face).join('\n'), loader: 'css', resolveDir: __dirname }));
            }
        },
        draw: async (out, write) => {

            mkdirSync(out, { recursive: true });
            for (const { name, file } of [...taken, ...[emojiFont, colourEmojiFont, lastFont].flatMap(filesOf)]) {
                write(join(out, `${name}.ttf`), await decompress(readFileSync(file)));
            }

            for (const { from } of [...fonts, emojiFont, lastFont]) {
                copyFileSync(join(folder, `${from}-license.txt`), join(out, `${from}-license.txt`));
            }
        }
    };
};
