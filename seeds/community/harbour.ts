import { image, link, page, text } from '../pieces';
import { svg } from '../pictures';

import type { PageSeed, ProjectSeed } from '../pieces';

interface Hour {
    name: string;
    time: string;
    sky: [string, string];
    water: [string, string];
    paper: string;
    ink: string;
    scenery: string;
    alt: string;
    caption: string;
    /** No waves, where there is no water. */
    dry?: boolean;
}

const lighthouse = (wall: string, lamp: string) => `
    <path d="M232 214l8-92h20l8 92z" fill="${wall}"/><path d="M236 168h28l2 18h-32zM239 136h22l1 14h-24z" fill="#c8443a"/>
    <rect x="238" y="108" width="24" height="16" fill="${lamp}"/><path d="M234 110l16-16 16 16z" fill="#3b2f3f"/>
    <path d="M196 240q30-38 60-32 44 4 64 32z" fill="#4b4a55"/>`;

const boat = (x: number, y: number, hull: string, tilt = 0) => `
    <g transform="translate(${x} ${y}) rotate(${tilt})"><path d="M-30 0h62l-12 18h-38z" fill="${hull}"/><path d="M-28 4h58" stroke="#fff" stroke-width="2"/>
    <path d="M-4-2v-36M-4-36l22 30" stroke="#3b2f3f" stroke-width="2"/><rect x="-20" y="-13" width="20" height="13" fill="#f3ead7"/></g>`;

const gull = (x: number, y: number, size = 1) =>
    `<path transform="translate(${x} ${y}) scale(${size})" d="M-12 0q6-8 12 0 6-8 12 0" fill="none" stroke="#46505a" stroke-width="2.4" stroke-linecap="round"/>`;

const stars = [[24, 30], [61, 78], [97, 22], [128, 64], [160, 28], [190, 90], [286, 34], [300, 80], [42, 118], [212, 50]]
    .map(([x, y]) => `<circle cx="${x}" cy="${y}" r="1.5" fill="#fff"/>`).join('');

const waves = '<path d="M0 248q20-8 40 0t40 0 40 0 40 0 40 0 40 0 40 0 40 0M0 274q20-8 40 0t40 0 40 0 40 0 40 0 40 0 40 0 40 0" fill="none" stroke="#fff" stroke-opacity=".35" stroke-width="2"/>';

const scene = function (hour: Hour): string {
    return svg(320, 300, `
        <defs><linearGradient id="s" x2="0" y2="1"><stop stop-color="${hour.sky[0]}"/><stop offset="1" stop-color="${hour.sky[1]}"/></linearGradient>
        <linearGradient id="w" x2="0" y2="1"><stop stop-color="${hour.water[0]}"/><stop offset="1" stop-color="${hour.water[1]}"/></linearGradient></defs>
        <rect width="320" height="220" fill="url(#s)"/><rect y="206" width="320" height="94" fill="url(#w)"/>
        ${hour.scenery}
        ${hour.dry ? '' : waves}`);
};

const hours: Hour[] = [
    {
        name: 'dawn', time: '05:40', sky: ['#33406b', '#f7a873'], water: ['#c98a72', '#3c4a70'], paper: '#2b3350', ink: '#ffe9d6',
        scenery: `<circle cx="92" cy="204" r="30" fill="#ffe0a6"/>${lighthouse('#efe3df', '#ffe27a')}<path d="M62 214h60M72 226h40M80 238h24" stroke="#ffe0a6" stroke-width="3" stroke-linecap="round"/>`,
        alt: 'The sun halfway out of the sea at dawn; a red and white lighthouse, its lamp still lit.',
        caption: 'The lamp goes off by itself, on a timer. Edda still comes up to see that it does.'
    },
    {
        name: 'boats', time: '08:15', sky: ['#8ecae6', '#e9f5f2'], water: ['#5fa8c4', '#2a6f8f'], paper: '#e4f1f4', ink: '#17405a',
        scenery: `${boat(80, 222, '#c8443a', -3)}${boat(172, 240, '#2f6f5e', 2)}${boat(258, 218, '#e0a030', -1)}${gull(60, 80)}${gull(102, 58, 0.8)}${gull(210, 96, 1.2)}${gull(240, 70, 0.7)}`,
        alt: 'Three small fishing boats, red, green and yellow, come in under a clear sky with gulls behind them.',
        caption: 'Three boats went out, three came back. Nobody counts aloud, and everybody counts.'
    },
    {
        name: 'low-tide', dry: true, time: '11:30', sky: ['#bfe3f2', '#fdf6e3'], water: ['#cbb994', '#a58d68'], paper: '#f7f0e0', ink: '#5a4630',
        scenery: `${boat(96, 232, '#c8443a', 14)}<path d="M150 262q40-18 90 0-40 12-90 0z" fill="#8fc1cf"/><path d="M20 284q30-10 70 0-34 8-70 0z" fill="#8fc1cf"/>
            <g stroke="#3b2f3f" stroke-width="3" stroke-linecap="round"><path d="M252 236v20M260 236v20M256 236v-22M256 222l-14 10M256 222l16 6"/></g><circle cx="256" cy="206" r="8" fill="#7b4b2a"/><path d="M244 204q12-12 24 0z" fill="#e0a030"/>`,
        alt: 'The harbour without water: the red boat leans on the mud, and a child in a yellow hat stands between two puddles.',
        caption: 'Low tide. For two hours the harbour belongs to crabs, to lost gloves, and to Milo, who is seven.'
    },
    {
        name: 'squall', time: '16:05', sky: ['#3f4a5c', '#8796a5'], water: ['#5d7280', '#2c3a48'], paper: '#39434f', ink: '#eef3f6',
        scenery: `<path d="M-10 60q30-44 80-24 30-40 90-10 60-24 80 18 60-10 90 26v-90H-10z" fill="#2c3542"/>${lighthouse('#c9ccd2', '#fff3b0')}
            <path d="M238 116L0 70v84z" fill="#fff3b0" opacity=".28"/><path d="M20 80l-14 40M66 92l-14 40M112 76l-14 40M158 96l-14 40M204 84l-14 40M290 90l-14 40M44 150l-14 40M134 146l-14 40" stroke="#cdd9e2" stroke-width="2"/>`,
        alt: 'A dark squall over grey water; the lighthouse throws one pale beam through the rain.',
        caption: 'Twelve minutes of weather. The café fills up, the windows go white, somebody laughs too loud.'
    },
    {
        name: 'supper', time: '19:50', sky: ['#f6b26b', '#f9d8a7'], water: ['#e0946a', '#7a4f66'], paper: '#fff0dc', ink: '#6b2f2a',
        scenery: `<g fill="#7a4f66"><path d="M10 208v-54l26-20 26 20v54z"/><path d="M62 208v-76h44v76z"/><path d="M106 208v-48l30-24 30 24v48z"/></g>
            <g fill="#ffe27a"><rect x="26" y="166" width="12" height="14"/><rect x="72" y="146" width="10" height="12"/><rect x="88" y="146" width="10" height="12"/><rect x="72" y="172" width="10" height="12"/><rect x="128" y="170" width="16" height="16"/></g>
            ${boat(238, 226, '#2f6f5e', 1)}<path d="M70 224v24M92 222v30M134 222v22" stroke="#ffe27a" stroke-width="4" stroke-linecap="round" opacity=".7"/>`,
        alt: 'Evening light on three houses by the quay, windows lit and mirrored in the water, the green boat tied up.',
        caption: 'Soup, bread, and the radio reading out tomorrow: north-west, four or five, good.'
    },
    {
        name: 'night', time: '22:30', sky: ['#0b1030', '#26335f'], water: ['#1c2750', '#0a0f26'], paper: '#0b1030', ink: '#dfe6ff',
        scenery: `${stars}${lighthouse('#8d93ad', '#fff6c4')}<path d="M240 116L-20 28v72z" fill="#fff6c4" opacity=".22"/><circle cx="70" cy="150" r="20" fill="#f3f0dc"/><circle cx="78" cy="144" r="18" fill="#1d2850"/>`,
        alt: 'Night: a thin moon, ten stars, and the lighthouse beam pointing out to sea.',
        caption: 'The lamp goes on by itself, on a timer. Edda comes up anyway. “Somebody might be looking,” she says.'
    }
];

const sheet = function (hour: Hour, x: number): PageSeed {
    const next = hours[x + 1];
    return page(hour.name, x, 0, hour.paper, [
        image(scene(hour), hour.alt, 0, 0, 320, 300),
        text(hour.time, 20, 314, 280, { color: hour.ink, fontFamily: 'monospace', fontSize: 18, fontWeight: 'bold', letterSpacing: '0.2em' }),
        text(hour.caption, 20, 346, 280, { color: hour.ink, fontFamily: 'Georgia, serif', fontSize: 16, lineHeight: 1.4 }),
        link(next ? `${next.time} →` : '↺ The same again tomorrow', { page: next ? next.name : 'dawn' }, 20, 444, 280, { color: hour.ink, fontSize: 15, textAlign: 'right' })
    ]);
};

export const harbour: ProjectSeed = {
    key: 'harbour',
    author: 'juniper',
    language: 'en',
    title: 'Low tide: one day in a small harbour',
    description: 'Six pictures between two switchings of a lamp. A #photo story drawn from memory, because the camera fell into the #harbour at 06:10. Read it from left to right. 🌊 #sea #story',
    featured: true,
    pages: hours.map(sheet)
};
