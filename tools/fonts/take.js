'use strict';

// Takes the files of fonts that the site uses out of their packages into web/fonts/, as package.json here says. They are in git, because the packages are 140 MB, and these 9.

const { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');

const { folder, namesOf, readList } = require('../../web/fonts');

const packages = join(__dirname, 'node_modules');

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

const main = async function () {

    const { fonts, emojiFont, colourEmojiFont, lastFont } = await readList();
    const { compress, decompress } = await import('woff2-encoder');
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    const letters = {};
    for (const font of [...fonts, emojiFont]) {
        const from = join(packages, '@fontsource', font.from);
        const { only, weights } = font;
        if (only === undefined) {
            letters[font.from] = Object.fromEntries(Object.entries(JSON.parse(readFileSync(join(from, 'unicode.json'), 'utf8'))).map(([subset, ranges]) => [subset.replace(/[[\]]/g, ''), ranges]));
        }

        for (const { name } of namesOf(font, only ? [only.file] : Object.keys(letters[font.from]), weights)) {
            copyFileSync(join(from, 'files', `${name}.woff2`), join(folder, `${name}.woff2`));
        }

        copyFileSync(join(from, 'LICENSE'), join(folder, `${font.from}-license.txt`));
    }

    writeFileSync(join(folder, 'letters.json'), `${JSON.stringify(letters, null, 4)}\n`);

    // Its drawings are there twice: as SVG, which takes four fifths of the file, and in the form that thumbnails use (COLR).
    const [{ name: emoji }] = namesOf(colourEmojiFont, [colourEmojiFont.only.file]);
    const whole = await decompress(readFileSync(join(packages, '@fontsource', colourEmojiFont.from, 'files', `${emoji}.woff2`)));
    writeFileSync(join(folder, `${emoji}.woff2`), await compress(withoutTable(whole, 'SVG ')));

    const dejavu = join(packages, 'dejavu-fonts-ttf');
    for (const { name, weight } of namesOf(lastFont, [lastFont.only.file])) {
        writeFileSync(join(folder, `${name}.woff2`), await compress(readFileSync(join(dejavu, 'ttf', weight === 700 ? 'DejaVuSans-Bold.ttf' : 'DejaVuSans.ttf'))));
    }

    copyFileSync(join(dejavu, 'LICENSE'), join(folder, `${lastFont.from}-license.txt`));
};

main().catch((error) => {

    console.error(error.code === 'MODULE_NOT_FOUND' || error.code === 'ERR_MODULE_NOT_FOUND' || error.code === 'ENOENT' ? `${error.message}\nnpm ci --prefix tools/fonts installs what it needs.` : error);
    process.exitCode = 1;
});
