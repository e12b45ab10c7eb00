import { image, link, page, text } from '../pieces';
import { svg } from '../pictures';

import type { ElementSeed, JsonObject, ProjectSeed } from '../pieces';

const ink = '#1d2433';
const serif = '"PT Serif", Georgia, serif';

/** Flakes lie evenly but in no rows (the R2 sequence), and the same on every run. */
const flakes = function (count: number, colour: string): string {
    return svg(320, 480, Array.from({ length: count }, (_, i) => {

        const x = (i * 0.7549 * 320) % 320;
        const y = (i * 0.5698 * 480) % 480;
        const r = 1.5 + (i % 4);
        return `<g transform="translate(${x.toFixed(1)} ${y.toFixed(1)}) rotate(${(i * 31) % 60})" stroke="${colour}" stroke-width="1.2" stroke-linecap="round" opacity="${(0.35 + (i % 5) * 0.12).toFixed(2)}"><path d="M${-r} 0h${2 * r}M0 ${-r}v${2 * r}M${-r * 0.7} ${-r * 0.7}l${1.4 * r} ${1.4 * r}M${r * 0.7} ${-r * 0.7}l${-1.4 * r} ${1.4 * r}"/></g>`;
    }).join(''));
};

const sparrows = svg(280, 90, `<path d="M0 70q140 14 280 0" fill="none" stroke="${ink}" stroke-width="3"/>
    ${[34, 84, 142, 192, 244].map((x, i) => `<g transform="translate(${x} ${i % 2 ? 58 : 56})"><path d="M-16 6q0-20 18-20 14 0 14 12 0 14-16 14-10 0-16-6zM-14 4l-14 8 4-10z" fill="${ink}"/><circle cx="10" cy="-6" r="1.8" fill="#fff"/><path d="M16-4l8 3-8 3z" fill="#d08a2e"/><path d="M-2 12v6M4 12v6" stroke="${ink}" stroke-width="2"/></g>`).join('')}`);

const lamp = svg(120, 300, `<path d="M58 300V70h6v230z" fill="#2a3147"/><path d="M40 66h42l-8-28H48z" fill="#2a3147"/><path d="M44 66h34v6H44z" fill="#ffe6a3"/><path d="M40 72L-30 300h182L82 72z" fill="#ffe6a3" opacity=".18"/>`);

const line = (words: string, left: number, top: number, size: number, styles: JsonObject = {}): ElementSeed =>
    text(words, left, top, 300 - left, { color: ink, fontFamily: serif, fontSize: size, lineHeight: 1.15, ...styles });

/** One word, let fall letter by letter. */
const falling = (word: string, left: number, top: number, size: number, drops: number[]): ElementSeed[] =>
    Array.from(word, (letter, i) => text(letter, left + i * size * 0.72, top + (drops[i] ?? 0), size, { color: ink, fontFamily: serif, fontSize: size, transform: `rotate(${(i * 17) % 25 - 12}deg)` }));

export const snowPoem: ProjectSeed = {
    key: 'snow',
    author: 'vera_ink',
    language: 'ru',
    title: 'Снег в четыре шрифта',
    description: 'Стихотворение, которое удобнее видеть, чем слышать. Три строфы, пять воробьёв, один дворник. #искусство #стихи #типографика ❄️',
    featured: true,
    pages: [
        page('обложка', 0, 0, '#eef2f8', [
            image(flakes(90, '#7f93b8'), 'Редкие снежинки по всему листу.', 0, 0, 320, 480),
            ...falling('СНЕГ', 28, 90, 84, [0, 46, 18, 92]),
            line('в четыре шрифта', 30, 330, 26, { fontFamily: 'monospace', letterSpacing: '0.06em' }),
            link('читать', { page: 'крыши' }, 30, 420, 120, { color: '#3a5a9b', fontFamily: serif, fontSize: 18, textDecoration: 'underline' })
        ]),
        page('крыши', 0, 1, '#ffffff', [
            line('Над городом', 24, 40, 22),
            line('пустая', 24, 74, 46, { fontWeight: 'bold', letterSpacing: '0.25em' }),
            line('строчка,', 140, 132, 30, { fontStyle: 'italic' }),
            line('и снег\n  спускается\n      пешком.', 24, 190, 26, { whiteSpace: 'pre', lineHeight: 1.5 }),
            line('За каждой крышей — просто точка,', 24, 336, 13, { fontFamily: 'monospace' }),
            line('за каждым домом —', 24, 366, 22),
            line('белый дом.', 24, 394, 40, { color: '#b9c6dd', fontWeight: 'bold' }),
            link('ниже ↓', { page: 'фонарь' }, 240, 446, 60, { color: '#3a5a9b', fontSize: 14 })
        ]),
        page('фонарь', 0, 2, '#161c2e', [
            image(flakes(60, '#dfe7fa'), 'Снег в темноте.', 0, 0, 320, 480),
            image(lamp, 'Уличный фонарь бросает вниз тёплый конус света.', 196, 170, 120, 300),
            line('Фонарь читает по слогам:', 24, 48, 20, { color: '#ffe6a3' }),
            line('свет-ло,\nбе-ло,\nе-щё не поздно.', 24, 96, 30, { color: '#ffffff', fontFamily: 'monospace', lineHeight: 1.4, whiteSpace: 'pre-line' }),
            line('И тишина идёт к домам', 24, 312, 20, { color: '#dfe7fa', fontStyle: 'italic' }),
            line('походкой\nмедленной\nи звёздной.', 24, 346, 22, { color: '#dfe7fa', letterSpacing: '0.3em', lineHeight: 1.4, whiteSpace: 'pre-line' }),
            link('утро ↓', { page: 'утро' }, 24, 452, 80, { color: '#ffe6a3', fontSize: 14 })
        ]),
        page('утро', 0, 3, '#fdfcf7', [
            line('А утром дворник, первый критик,', 24, 40, 15),
            line('лопатой', 24, 72, 44, { fontWeight: 'bold' }),
            line('вычеркнет абзац.', 24, 132, 26, { textDecoration: 'line-through', textDecorationColor: '#c0392b' }),
            image(sparrows, 'Пять воробьёв на проводе, как пять букв в строке.', 20, 186, 280, 90),
            line('Но воробьи —', 24, 296, 22),
            line('пять чёрных литер —', 24, 332, 21, { fontFamily: 'monospace' }),
            line('напишут заново рассказ.', 24, 376, 20, { fontStyle: 'italic' }),
            link('↺ снова снег', { page: 'обложка' }, 24, 440, 160, { color: '#3a5a9b', fontSize: 16 })
        ])
    ]
};
