'use strict';

/** The fonts of the site: files for browsers, which load those of the letters they show, and the same for drawing thumbnails. */
const { mkdirSync, readFileSync } = require('node:fs');
const { join } = require('node:path');

const { transformSync } = require('esbuild');

const listed = join(__dirname, '../client/src/render/fonts.ts');

/** The files of a font, with the letters that each is for. */
const filesOf = function ({ family, from, weights, only, instead = [] }) {

    const folder = join(__dirname, '../node_modules/@fontsource', from);
    const ranges = only === undefined ? JSON.parse(readFileSync(join(folder, 'unicode.json'), 'utf8')) : { [only.file]: only.letters };
    const subsets = Object.entries(ranges);
    return weights.flatMap((weight) => subsets.map(([subset, letters]) => ({ family, weight, letters, instead, name: `${from}-${subset.replace(/[[\]]/g, '')}-${weight}-normal` })))
        .map((each) => ({ ...each, file: join(folder, 'files', `${each.name}.woff2`) }));
};

const face = ({ family, weight, letters, instead, file }) => `@font-face{font-family:'${family}';font-weight:${weight};font-display:swap;src:${instead.map((name) => `local('${name}'),`).join('')}url('${file}') format('woff2');unicode-range:${letters}}`;

/** A font file without one of its tables (OpenType 1.9, "Table Directory"). */
const withoutTable = function (file, left) {

    const font = Buffer.from(file);
    const count = font.readUInt16BE(4);
    const records = Array.from({ length: count }, (_, n) => font.subarray(12 + 16 * n, 28 + 16 * n)).filter((record) => record.toString('latin1', 0, 4) !== left);
    const head = Buffer.concat([font.subarray(0, 12), ...records]);
    head.writeUInt16BE(records.length, 4);
    const tables = [];
    let place = head.length;
    records.forEach((record, n) => {

        const [start, length] = [record.readUInt32BE(8), record.readUInt32BE(12)];
        const table = Buffer.concat([font.subarray(start, start + length), Buffer.alloc((4 - length % 4) % 4)]);
        head.writeUInt32BE(place, 12 + 16 * n + 8);
        tables.push(table);
        place += table.length;
    });
    return Buffer.concat([head, ...tables]);
};

/** @returns the styles, as a plugin of esbuild for `@import 'fonts'`, `faces`, which lists the files that are taken along, and `draw`, which writes what thumbnails are drawn with into a folder */
exports.readFonts = async function () {

    const { code } = transformSync(readFileSync(listed, 'utf8'), { loader: 'ts' });
    const { fonts, emojiFont, colourEmojiFont } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
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
        draw: async (folder, write) => {

            mkdirSync(folder, { recursive: true });
            for (const { name, file } of [...taken, ...filesOf(emojiFont)]) {
                write(join(folder, `${name}.ttf`), await decompress(readFileSync(file)));
            }

            // Its drawings are there twice: as SVG, which takes four fifths of the file, and in the form that is used (COLR).
            for (const { name, file } of filesOf(colourEmojiFont)) {
                write(join(folder, `${name}.ttf`), withoutTable(await decompress(readFileSync(file)), 'SVG '));
            }

            for (const { from } of [...fonts, emojiFont]) {
                write(join(folder, `${from}-license.txt`), readFileSync(join(__dirname, '../node_modules/@fontsource', from, 'LICENSE')));
            }
        }
    };
};
