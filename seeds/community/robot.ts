import { image, link, page, text } from '../pieces';
import { svg } from '../pictures';

import type { ElementSeed, ProjectSeed } from '../pieces';

type Face = 'smile' | 'worry' | 'shut' | 'wonder';

const mouths: Record<Face, string> = {
    smile: '<path d="M-14 10q14 14 28 0" fill="none" stroke="#22303c" stroke-width="4" stroke-linecap="round"/>',
    worry: '<path d="M-14 16l7-6 7 6 7-6 7 6" fill="none" stroke="#22303c" stroke-width="3"/>',
    shut: '<path d="M-12 12h24" stroke="#22303c" stroke-width="4" stroke-linecap="round"/>',
    wonder: '<ellipse cy="13" rx="6" ry="8" fill="#22303c"/>'
};

const robot = function (x: number, y: number, face: Face, extra = ''): string {
    const eyes = face === 'shut' ?
        '<path d="M-20-8q7 6 14 0M6-8q7 6 14 0" fill="none" stroke="#22303c" stroke-width="3"/>' :
        `<circle cx="-13" cy="-8" r="9" fill="#fff"/><circle cx="13" cy="-8" r="9" fill="#fff"/><circle cx="-13" cy="${face === 'worry' ? -12 : -7}" r="4" fill="#22303c"/><circle cx="13" cy="${face === 'worry' ? -12 : -7}" r="4" fill="#22303c"/>`;
    return `<g transform="translate(${x} ${y})"><path d="M0-34v-18" stroke="#5d6b78" stroke-width="4"/><circle cy="-56" r="6" fill="#ff6b5e"/>
        <path d="M-22 92v26M22 92v26" stroke="#5d6b78" stroke-width="9"/><path d="M-34 120h24M10 120h24" stroke="#22303c" stroke-width="9" stroke-linecap="round"/>
        <rect x="-38" y="34" width="76" height="60" rx="12" fill="#f2a65a"/><circle cy="62" r="11" fill="#ffe9b8"/><path d="M-38 50l-22 22M38 50l22 22" stroke="#f2a65a" stroke-width="10" stroke-linecap="round"/>
        <rect x="-36" y="-34" width="72" height="62" rx="14" fill="#8ec6c5"/>${eyes}${mouths[face]}${extra}</g>`;
};

const girl = (x: number, y: number) => `<g transform="translate(${x} ${y})"><path d="M-16 70v30M16 70v30" stroke="#7b4b2a" stroke-width="8"/><path d="M-24 104h18M8 104h18" stroke="#e0b020" stroke-width="12" stroke-linecap="round"/>
    <path d="M-34 76L-16 12h32l18 64z" fill="#ffd23f"/><circle r="22" cy="-8" fill="#c98a5e"/><path d="M-26-6q2-30 26-30t26 30q-26-14-52 0z" fill="#ffd23f"/>
    <circle cx="-8" cy="-6" r="3" fill="#22303c"/><circle cx="8" cy="-6" r="3" fill="#22303c"/><path d="M-7 3q7 7 14 0" fill="none" stroke="#22303c" stroke-width="3" stroke-linecap="round"/></g>`;

const umbrella = '<path d="M58 72v-150" stroke="#22303c" stroke-width="4"/><path d="M-22-78a80 62 0 0 1 160 0q-20-16-40 0-20-16-40 0-20-16-40 0-20-16-40 0z" fill="#e4572e"/>';

const rain = (count: number) => Array.from({ length: count }, (_, i) => `<path d="M${(i * 61 + 15) % 320} ${(i * 37) % 250}l-6 18" stroke="#6fa8dc" stroke-width="3" stroke-linecap="round"/>`).join('');

const panel = (sky: string, ground: string, drawing: string) => svg(320, 320, `<rect width="320" height="320" fill="${sky}"/><path d="M0 270q80-16 160 0t160 0v50H0z" fill="${ground}"/>${drawing}<rect x="3" y="3" width="314" height="314" fill="none" stroke="#22303c" stroke-width="6"/>`);

const narrator = (words: string) => text(words, 0, 332, 320, { backgroundColor: '#fff4cc', color: '#22303c', fontSize: 16, fontStyle: 'italic', padding: 10, lineHeight: 1.35 });

const says = (words: string, left: number, top: number, width: number): ElementSeed =>
    text(words, left, top, width, { backgroundColor: '#ffffff', border: '3px solid #22303c', borderRadius: 18, color: '#22303c', fontFamily: '"Comic Neue", "Comic Sans MS", cursive', fontSize: 15, fontWeight: 'bold', padding: 8, textAlign: 'center' });

const turn = (words: string, name: string) => link(words, { page: name }, 20, 442, 280, { color: '#e4572e', fontSize: 16, fontWeight: 'bold', textAlign: 'right' });

export const robotComic: ProjectSeed = {
    key: 'robot',
    author: 'lucia_mar',
    language: 'es',
    title: 'El robot que le tenía miedo a la lluvia',
    description: 'Un #cómic en seis viñetas sobre Tuerca, que nunca ha salido un martes de lluvia. ☔🤖 Para leer en voz alta. #historieta #robots #niñez',
    featured: true,
    pages: [
        page('ventana', 0, 0, '#fffaf0', [
            image(panel('#cfd9e6', '#9aa7b8', `${rain(26)}<rect x="30" y="60" width="260" height="230" fill="#f6e7d0"/><rect x="54" y="84" width="212" height="130" fill="#a9c3dd"/>${rain(8)}<path d="M160 84v130M54 150h212" stroke="#7b4b2a" stroke-width="6"/>${robot(160, 176, 'worry')}`), 'Un robot naranja y celeste mira con preocupación por la ventana: afuera llueve.', 0, 0, 320, 320),
            says('Hoy tampoco salgo.', 150, 18, 150),
            narrator('Tuerca sabía tres idiomas y cuarenta clases de nudos. De la lluvia solo sabía una palabra: óxido.'),
            turn('Toc, toc →', 'puerta')
        ]),
        page('puerta', 1, 0, '#fffaf0', [
            image(panel('#f6e7d0', '#d8b48a', `<rect x="176" y="70" width="110" height="206" fill="#7b4b2a"/><rect x="186" y="80" width="90" height="196" fill="#a9c3dd"/>${girl(230, 166)}${robot(88, 152, 'wonder')}`), 'Una niña con impermeable amarillo está en la puerta; el robot la mira sorprendido.', 0, 0, 320, 320),
            says('¿Vienes? Los charcos no duran.', 20, 16, 170),
            narrator('Era Inés, la del piso de arriba. Traía botas amarillas y ninguna prisa.'),
            turn('¿Y entonces? →', 'miedo')
        ]),
        page('miedo', 2, 0, '#fffaf0', [
            image(panel('#4a5568', '#2d3748', `${robot(160, 180, 'worry', '<g fill="#a0522d" opacity=".85"><circle cx="-28" cy="48" r="7"/><circle cx="20" cy="80" r="9"/><circle cx="26" cy="-22" r="6"/><circle cx="-20" cy="84" r="5"/></g>')}${rain(30)}`), 'El robot se imagina lleno de manchas de óxido bajo una lluvia oscura.', 0, 0, 320, 320),
            says('Crec… crec… crec…', 88, 24, 150),
            narrator('Tuerca se imaginó parado en la plaza para siempre, con una paloma en la antena.'),
            turn('Pero Inés… →', 'paraguas')
        ]),
        page('paraguas', 0, 1, '#fffaf0', [
            image(panel('#cfd9e6', '#8fb08c', `${rain(24)}${girl(246, 200)}${robot(110, 168, 'shut', umbrella)}`), 'Inés le ha dado un gran paraguas rojo; el robot sale con los ojos cerrados.', 0, 0, 320, 320),
            says('Un paso. Solo uno. Yo cuento.', 192, 92, 120),
            narrator('Con los ojos cerrados, la lluvia sonaba igual que un aplauso.'),
            turn('Uno… dos… →', 'charco')
        ]),
        page('charco', 1, 1, '#fffaf0', [
            image(panel('#dce8f2', '#8fb08c', `${rain(14)}<ellipse cx="160" cy="286" rx="120" ry="18" fill="#7fb2d9"/><g fill="#7fb2d9"><path d="M60 270q-20-40-34-30 4 30 34 30zM260 270q20-46 36-32-6 32-36 32zM100 262q-10-54-22-46 0 36 22 46zM220 262q8-56 22-46 0 36-22 46z"/></g>${robot(160, 146, 'smile')}`), 'El robot salta en un charco; el agua vuela por todas partes y él sonríe.', 0, 0, 320, 320),
            says('¡¡PLAAAF!!', 96, 20, 128),
            narrator('Resultó que el óxido tarda años. El primer charco tarda un segundo.'),
            turn('Al día siguiente →', 'sol')
        ]),
        page('sol', 2, 1, '#fffaf0', [
            image(panel('#bfe6ff', '#9ccf8f', `<circle cx="264" cy="60" r="36" fill="#ffd23f"/>${robot(96, 160, 'wonder', '<path d="M-62 74l-6 40" stroke="#e4572e" stroke-width="8" stroke-linecap="round"/>')}${girl(226, 178)}`), 'Día de sol: el robot espera con el paraguas cerrado en la mano, y la niña se ríe.', 0, 0, 320, 320),
            says('¿Y hoy por qué no llueve?', 40, 18, 150),
            narrator('FIN. (O hasta el próximo martes.)'),
            turn('↺ Otra vez', 'ventana')
        ])
    ]
};
