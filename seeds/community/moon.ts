import { button, image, link, page, text } from '../pieces';
import { svg } from '../pictures';

import type { ElementSeed, JsonObject, ProjectSeed } from '../pieces';

const night = '#101735';
const title: JsonObject = { color: '#ffe9a8', fontFamily: 'Georgia, serif', fontSize: 22, fontWeight: 'bold', lineHeight: 1.2 };
const body: JsonObject = { color: '#e8ecff', fontSize: 16, lineHeight: 1.45 };

/**
 * The lit part of the Moon as seen from the north.
 * @param phase 0 is new, 0.25 first quarter, 0.5 full, 0.75 last quarter.
 */
const moon = function (x: number, y: number, r: number, phase: number): string {
    const waxing = phase <= 0.5;
    const bulge = Math.abs(Math.cos(2 * Math.PI * phase)) * r;
    const crescent = phase < 0.25 || phase > 0.75;
    return `<g transform="translate(${x} ${y})${waxing ? '' : ' scale(-1 1)'}"><circle r="${r}" fill="#2b355f"/>
        <path d="M0 ${-r}A${r} ${r} 0 0 1 0 ${r}A${bulge.toFixed(2)} ${r} 0 0 ${crescent ? 0 : 1} 0 ${-r}z" fill="#fff3c9"/></g>`;
};

const stars = (count: number, width: number, height: number) =>
    Array.from({ length: count }, (_, i) => `<circle cx="${(i * 73 + 19) % width}" cy="${(i * 47 + 11) % height}" r="${1 + (i % 3) * 0.4}" fill="#fff" opacity=".7"/>`).join('');

const cover = svg(320, 260, `<rect width="320" height="260" fill="#101735"/>${stars(40, 320, 260)}${moon(160, 130, 84, 0.18)}
    <g fill="#e3d4a0" opacity=".7"><circle cx="216" cy="108" r="9"/><circle cx="224" cy="148" r="6"/><circle cx="204" cy="176" r="7"/></g>`);

const sunlight = svg(280, 180, `<rect width="280" height="180" rx="12" fill="#0a0f26"/><circle cx="-6" cy="90" r="52" fill="#ffc845"/>
    <g stroke="#ffc845" stroke-width="2" stroke-dasharray="8 7"><path d="M58 50h86M62 90h82M58 130h86"/></g>
    <circle cx="206" cy="90" r="44" fill="#2b355f"/><path d="M206 46a44 44 0 0 0 0 88z" fill="#fff3c9"/>
    <g fill="#e3d4a0"><circle cx="186" cy="76" r="7"/><circle cx="180" cy="104" r="5"/><circle cx="197" cy="116" r="4"/></g>`);

const orbit = svg(280, 240, `<rect width="280" height="240" rx="12" fill="#0a0f26"/><g stroke="#ffc845" stroke-width="3" stroke-linecap="round"><path d="M8 60h22M8 100h22M8 140h22M8 180h22"/></g>
    <circle cx="156" cy="120" r="84" fill="none" stroke="#5a67a0" stroke-dasharray="3 6"/>
    <circle cx="156" cy="120" r="22" fill="#2b6f8f"/><path d="M142 112q10-12 22-6 10 8-4 12-12 4-18-6z" fill="#5fb37a"/><path d="M156 98a22 22 0 0 1 0 44z" fill="#000" opacity=".45"/>
    ${Array.from({ length: 8 }, (_, i) => {

        const angle = Math.PI + (i * Math.PI) / 4;
        const x = (156 + 84 * Math.cos(angle)).toFixed(1);
        const y = (120 - 84 * Math.sin(angle)).toFixed(1);
        return `<circle cx="${x}" cy="${y}" r="14" fill="#2b355f"/><path d="M${x} ${Number(y) - 14}a14 14 0 0 0 0 28z" fill="#fff3c9"/>`;
    }).join('')}`);

const strip = svg(280, 150, Array.from({ length: 8 }, (_, i) => moon(38 + (i % 4) * 68, 38 + Math.floor(i / 4) * 74, 28, i / 8)).join(''));

const orange = svg(280, 170, `<rect width="280" height="170" rx="12" fill="#2a2440"/>
    <path d="M30 150v-66" stroke="#c9c3d8" stroke-width="6"/><path d="M8 84h44L42 48H18z" fill="#ffd97a"/><path d="M54 80l70 40V40z" fill="#ffd97a" opacity=".25"/>
    <circle cx="222" cy="84" r="26" fill="#d99b73"/><path d="M196 80q4-34 34-26 22 4 18 34-10-20-24-20-18 0-28 12z" fill="#5a3522"/><path d="M188 170q4-58 34-58t34 58z" fill="#3f7f8c"/>
    <path d="M196 128l-44-34" stroke="#d99b73" stroke-width="10" stroke-linecap="round"/><circle cx="142" cy="84" r="20" fill="#f08a24"/><path d="M142 64a20 20 0 0 1 0 40z" fill="#8a4a10"/><path d="M142 64q3-8 10-9" stroke="#5fb37a" stroke-width="4" fill="none"/>`);

const tilt = svg(280, 150, `<rect width="280" height="150" rx="12" fill="#0a0f26"/><circle cx="10" cy="75" r="34" fill="#ffc845"/>
    <path d="M50 75h222" stroke="#ffc845" stroke-dasharray="6 6"/><path d="M76 122L270 32" stroke="#8d97cc" stroke-dasharray="3 5"/>
    <circle cx="174" cy="75" r="17" fill="#2b6f8f"/><circle cx="92" cy="114" r="9" fill="#fff3c9"/><circle cx="256" cy="38" r="9" fill="#fff3c9"/>`);

const steps = (back: string | null, next: string | null): ElementSeed[] => [
    ...(back ? [link('← Back', { page: back }, 20, 440, 100, { color: '#9fb0ff', fontSize: 15 })] : []),
    ...(next ? [link('Next →', { page: next }, 200, 440, 100, { color: '#9fb0ff', fontSize: 15, textAlign: 'right' })] : [])
];

export const moonShapes: ProjectSeed = {
    key: 'moon',
    author: 'meera',
    language: 'en',
    title: 'Why the Moon changes its shape',
    description: 'It does not. We do the changing. Seven short pages, one orange and one lamp. #science #moon #चाँद 🌗',
    featured: true,
    pages: [
        page('cover', 0, 0, night, [
            image(cover, 'A crescent Moon with a few craters among many stars.', 0, 0, 320, 260),
            text('Why the Moon changes its shape', 20, 280, 280, { ...title, fontSize: 28 }),
            text('(It doesn’t.)', 20, 390, 280, { ...body, fontStyle: 'italic' }),
            ...steps(null, 'half')
        ]),
        page('half', 1, 0, night, [
            text('Half of it is always lit', 20, 20, 280, title),
            image(sunlight, 'Sunlight from the left falls on the Moon; its left half is bright, its right half dark.', 20, 80, 280, 180),
            text('The Moon makes no light. The Sun shines on it, and like any ball under any lamp it has a day side and a night side. Always one half each.', 20, 280, 280, body),
            ...steps('cover', 'orbit')
        ]),
        page('orbit', 2, 0, night, [
            text('But we walk around the picture', 20, 20, 280, title),
            image(orbit, 'The Earth in the middle and eight places of the Moon around it. The Sun is on the left, so that the left half of each Moon is lit.', 20, 90, 280, 240),
            text('In about 29½ days the Moon goes round us once. Each evening we see its bright half a little more, or a little less, from the side.', 20, 346, 280, { ...body, fontSize: 15 }),
            ...steps('half', 'phases')
        ]),
        page('phases', 3, 0, night, [
            text('One month, seen from the garden', 20, 20, 280, title),
            image(strip, 'Eight phases in two rows: new, waxing crescent, first quarter, waxing gibbous; full, waning gibbous, last quarter, waning crescent.', 20, 90, 280, 150),
            text('The bright edge points to where the Sun is, even when the Sun has set. South of the equator the same Moon hangs the other way round: left is right. 🙃', 20, 268, 280, body),
            ...steps('orbit', 'orange')
        ]),
        page('orange', 4, 0, '#2a2440', [
            text('Try it with an orange', 20, 20, 280, { ...title, fontSize: 20 }),
            image(orange, 'A child holds an orange at arm’s length towards a lamp; the lamp side of the orange is bright.', 20, 66, 280, 170),
            text('1. One lamp, a dark room.\n2. Hold the orange at arm’s length, a little above your head.\n3. Turn slowly on your heel, to the left, and keep looking at the orange.\n4. You have just made a month in ten seconds.', 20, 252, 280, { ...body, fontSize: 15, whiteSpace: 'pre-line' }),
            ...steps('phases', 'shadow')
        ]),
        page('shadow', 5, 0, night, [
            text('“Isn’t it the Earth’s shadow?”', 20, 20, 280, title),
            text('A good guess, and the one most people make. The shadow does reach the Moon now and then: that is an eclipse. Why isn’t there one every full Moon?', 20, 84, 280, body),
            image(tilt, 'The Moon’s path is tilted: at one end it passes below the line from Sun to Earth, at the other end above it.', 20, 206, 280, 150),
            button('Show the answer', 'The Moon’s path is tilted by about five degrees, so most months it passes above or below our shadow.', 20, 372, 280, { backgroundColor: '#ffe9a8', color: '#101735', borderRadius: 8, padding: 8, fontSize: 16 }),
            ...steps('orange', 'more')
        ]),
        page('more', 6, 0, night, [
            text('Tonight', 20, 20, 280, title),
            text('Go out, find the Moon, and point your thumb at where the Sun must be. Tomorrow, at the same hour, look again: it will have moved about a fist and a half to the east, and be a little fatter or a little thinner.', 20, 70, 280, body),
            link('🌊 A thin moon over a harbour', { project: 'harbour', page: 'night' }, 20, 290, 280, { backgroundColor: '#26335f', color: '#e8ecff', borderRadius: 8, padding: 10, fontSize: 16 }),
            link('↺ From the beginning', { page: 'cover' }, 20, 360, 280, { color: '#9fb0ff', fontSize: 15 }),
            ...steps('shadow', null)
        ])
    ]
};
