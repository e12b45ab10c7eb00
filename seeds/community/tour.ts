import { image, link, page, text } from '../pieces';
import { svg } from '../pictures';

import type { JsonObject, ProjectSeed, Target } from '../pieces';

const body: JsonObject = { color: '#2a2f45', fontSize: 16, lineHeight: 1.45 };
const heading: JsonObject = { color: '#2a2f45', fontFamily: 'Georgia, serif', fontSize: 28, fontWeight: 'bold', lineHeight: 1.2 };

const grid = svg(280, 180, `<rect width="280" height="180" rx="14" fill="#e7ebfb"/>
    ${[[0, 0, '#f2a65a'], [1, 0, '#8ec6c5'], [2, 0, '#f7d038'], [0, 1, '#c08ad8'], [1, 1, '#ffffff'], [2, 1, '#9ccf8f']].map(([x, y, fill]) => `<rect x="${28 + Number(x) * 80}" y="${16 + Number(y) * 78}" width="62" height="70" rx="6" fill="${fill}" stroke="#2a2f45" stroke-width="2"/>`).join('')}
    <path d="M82 50h34M162 50h34M139 84v14" stroke="#2a2f45" stroke-width="3" stroke-linecap="round"/><path d="M116 110h46M116 122h46M116 134h30" stroke="#b9c0da" stroke-width="5" stroke-linecap="round"/>`);

const shelf: { words: string; target: Target; colour: string }[] = [
    { words: '🌊 Low tide, a photo story', target: { project: 'harbour', page: 'dawn' }, colour: '#2b3350' },
    { words: '🌗 Why the Moon changes shape', target: { project: 'moon', page: 'cover' }, colour: '#101735' },
    { words: '☔ El robot, un cómic', target: { project: 'robot', page: 'ventana' }, colour: '#b23f1e' },
    { words: '🌿 Manjericão na janela', target: { project: 'basil', page: 'capa' }, colour: '#1f5132' },
    { words: '❄️ Снег в четыре шрифта', target: { project: 'snow', page: 'обложка' }, colour: '#3a5a9b' },
    { words: '⭐ القافلة والنجم', target: { project: 'caravan', page: 'camp' }, colour: '#7a3d28' },
    { words: '🌸 四季の窓', target: { project: 'seasons', page: 'haru' }, colour: '#8c2f4f' },
    { words: '🌈 आसमान की पहेली', target: { project: 'quiz', page: 'start' }, colour: '#5a4fcf' }
];

export const communityTour: ProjectSeed = {
    key: 'tour',
    author: 'curator',
    language: 'en',
    title: 'Start here: a tour of the community',
    description: 'Eight projects in seven languages, and how to make a ninth. 👋 #welcome #tour',
    featured: true,
    pages: [
        page('hello', 0, 0, '#fffdf5', [
            text('Hello 👋', 20, 24, 280, { ...heading, fontSize: 40 }),
            text('A project is a set of pages on a grid. You can read it in a line, go down a column, or jump wherever a link takes you.', 20, 90, 280, body),
            image(grid, 'Six coloured pages on a grid of three by two, joined by short lines.', 20, 206, 280, 180),
            link('Show me around →', { page: 'shelf' }, 20, 420, 280, { backgroundColor: '#2a2f45', borderRadius: 8, color: '#ffffff', fontSize: 17, padding: 9, textAlign: 'center' })
        ]),
        page('shelf', 1, 0, '#fffdf5', [
            text('The shelf', 20, 16, 280, heading),
            ...shelf.map(({ words, target, colour }, i) => link(words, target, 20, 62 + i * 46, 280, { backgroundColor: colour, borderRadius: 8, color: '#ffffff', fontSize: 15, padding: 8 })),
            link('Your turn →', { page: 'yours' }, 20, 440, 280, { color: '#2a2f45', fontSize: 16, textAlign: 'right' })
        ]),
        page('yours', 2, 0, '#2a2f45', [
            text('Your turn', 20, 24, 280, { ...heading, color: '#ffe9a8' }),
            text('Remix anything you like: you get a copy of your own, its links lead to your own pages, and it remembers where it came from.', 20, 80, 280, { ...body, color: '#f0f2ff' }),
            text('A good first remix: the twelve-pixel beasts. They have room for one more.', 20, 216, 280, { ...body, color: '#f0f2ff' }),
            link('👾 To the beasts', { project: 'pixels', page: 'gato' }, 20, 310, 280, { backgroundColor: '#ffe9a8', borderRadius: 8, color: '#2a2f45', fontSize: 17, padding: 9, textAlign: 'center' }),
            link('↺ Back to the start', { page: 'hello' }, 20, 440, 280, { color: '#c5ccf0', fontSize: 15 })
        ])
    ]
};
