'use strict';

/**
 * Draws the way of a request, docs/images/request.svg, from the list in src/api/request/lifecycle.ts. Run it after that list has changed:
 * `node tools/request-picture.js`. With `--check` it only says whether the picture is up to date, by its exit code.
 */
const { readFileSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');

const root = join(__dirname, '..');
const picture = join(root, 'docs/images/request.svg');
const ROW = 22;
const escaped = (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;');

/** The stages, in order, each with its event in hapi, the file it is in and what it does. A line without an event belongs to the one above. */
const stagesOf = function (source) {

    return [...source.matchAll(/^ \* {3}(\S.{15}|\s{16}) (\S.{26}) (\S.*)$/gm)].map(([, event, file, text]) => {

        return { event: event.trim(), file: file.trim(), text };
    });
};

const draw = function (stages) {

    const height = (stages.length + 1) * ROW;
    const rows = stages.map(({ event, file, text }, index) => {

        const y = (index + 1) * ROW;
        return [
            ...event ? [`<path class="line" d="M12 ${y - 15}H988"/>`, `<text class="event" x="24" y="${y}">${escaped(event)}</text>`] : [],
            `<text class="file" x="164" y="${y}">${escaped(file)}</text>`, `<text x="360" y="${y}">${escaped(text)}</text>`
        ].join('');
    });
    return [
        `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1000 ${height}" role="img" aria-label="The way of a request, stage by stage">`,
        '<style>text{font:12px system-ui,sans-serif;fill:#222}.event{font-weight:700}.file{font-family:ui-monospace,monospace;fill:#0b5a46}.line{stroke:#ccc}.way{stroke:#0b6e4f;stroke-width:3;fill:none}</style>',
        `<rect width="1000" height="${height}" fill="#fff"/><path class="way" d="M12 4V${height - 10}m-5 -7l5 7l5 -7"/>`,
        ...rows, '</svg>', ''
    ].join('\n');
};

const stages = stagesOf(readFileSync(join(root, 'src/api/request/lifecycle.ts'), 'utf8'));
const drawn = draw(stages);
if (!process.argv.includes('--check')) {
    writeFileSync(picture, drawn);
}
else if (stages.length < 10 || readFileSync(picture, 'utf8') !== drawn) {
    console.error('docs/images/request.svg is not what src/api/request/lifecycle.ts says: run "node tools/request-picture.js"');
    process.exitCode = 1;
}
