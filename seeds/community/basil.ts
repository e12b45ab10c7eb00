import { image, link, page, text } from '../pieces';
import { svg } from '../pictures';

import type { ElementSeed, JsonObject, PageSeed, ProjectSeed } from '../pieces';

const paper = '#f4f8ec';
const heading: JsonObject = { color: '#1f5132', fontFamily: 'Georgia, serif', fontSize: 26, fontWeight: 'bold', lineHeight: 1.2 };
const body: JsonObject = { color: '#2f3b2f', fontSize: 16, lineHeight: 1.45 };

const leaf = (x: number, y: number, turn: number, size: number) =>
    `<path transform="translate(${x} ${y}) rotate(${turn}) scale(${size})" d="M0 0q16-16 34-6-12 20-34 6zM0 0q18-4 30-5" fill="#4c9a57" stroke="#2f7040" stroke-width="1"/>`;

/** @param growth 0 is bare soil, 4 a bush ready to be picked. */
const plant = function (growth: number): string {
    const height = growth * 26;
    const leaves = Array.from({ length: growth * 2 }, (_, i) => {

        const y = 150 - 12 - Math.floor(i / 2) * 25;
        return i % 2 ? leaf(140, y, -20, 0.7 + growth * 0.15) : leaf(140, y, -160, 0.7 + growth * 0.15);
    }).join('');
    return `${growth ? `<path d="M140 154v${-height}" stroke="#3c7f49" stroke-width="5"/>${leaves}${leaf(138, 152 - height, -100, 0.9)}${leaf(140, 152 - height, -60, 0.9)}` : ''}
        <path d="M92 152h96l-12 72h-72z" fill="#c8693f"/><rect x="86" y="146" width="108" height="18" rx="4" fill="#d97f52"/><ellipse cx="140" cy="147" rx="48" ry="6" fill="#5a3d28"/>`;
};

const sill = (drawing: string) => svg(280, 240, `<rect width="280" height="240" rx="14" fill="#dff0f7"/><path d="M0 224h280v2q0 14-14 14H14q-14 0-14-14z" fill="#b58b62"/><path d="M140 0v120M0 90h280" stroke="#fff" stroke-width="8" opacity=".7"/>${drawing}`);

const seeds = '<g fill="#2b2119"><circle cx="116" cy="120" r="3"/><circle cx="132" cy="110" r="3"/><circle cx="148" cy="122" r="3"/><circle cx="160" cy="108" r="3"/></g><path d="M170 60q-30 10-44 34l10 8q22-16 44-16l40-10V50z" fill="#d9a57e"/>';
const can = '<path d="M196 60h58v52h-58z" fill="#5a8fb0"/><path d="M196 96l-40-24-6 6 46 38zM254 68q22 0 20 20t-20 16" fill="none" stroke="#5a8fb0" stroke-width="7"/><g stroke="#5aa7d6" stroke-width="3" stroke-linecap="round"><path d="M146 88l-4 14M138 84l-6 16M150 94l0 16"/></g>';
const sun = '<circle cx="40" cy="40" r="20" fill="#ffc845"/><g stroke="#ffc845" stroke-width="4" stroke-linecap="round"><path d="M40 8v-4M40 72v6M8 40H2M72 40h6M64 16l4-4M16 64l-4 4M64 64l4 4M16 16l-4-4"/></g>';
const scissors = '<g fill="none" stroke="#59636b" stroke-width="5"><circle cx="226" cy="60" r="12"/><circle cx="244" cy="88" r="12"/><path d="M216 66l-58 18M232 84l-68-12"/></g>';
const things = svg(280, 200, `<rect width="280" height="200" rx="14" fill="#fff8e6"/><g transform="translate(-60 -40) scale(.9)">${plant(0)}</g>
    <path d="M140 40h60l6 70h-72z" fill="#8a6a4a"/><path d="M146 34h48v12h-48z" fill="#6b4f36"/><g transform="translate(60 10) scale(.72)"><path d="M196 60h58v52h-58z" fill="#5a8fb0"/><path d="M196 96l-40-24-6 6 46 38zM254 68q22 0 20 20t-20 16" fill="none" stroke="#5a8fb0" stroke-width="7"/></g>
    <path d="M150 130h44v56h-44z" fill="#f2e3b6" stroke="#c9b27a"/>${leaf(156, 164, -20, 0.9)}`);

const turn = (back: string | null, next: string | null): ElementSeed[] => [
    ...(back ? [link('←', { page: back }, 20, 440, 60, { color: '#1f5132', fontSize: 20 })] : []),
    ...(next ? [link('→', { page: next }, 240, 440, 60, { color: '#1f5132', fontSize: 20, textAlign: 'right' })] : [])
];

const step = (name: string, x: number, words: { title: string; body: string; alt: string }, drawing: string, back: string, next: string): PageSeed => page(name, x, 0, paper, [
    text(words.title, 20, 18, 280, heading),
    image(sill(drawing), words.alt, 20, 62, 280, 240),
    text(words.body, 20, 314, 280, body),
    ...turn(back, next)
]);

export const basilGuide: ProjectSeed = {
    key: 'basil',
    author: 'tiago-luz',
    language: 'pt-BR',
    title: 'Manjericão na janela em cinco passos',
    description: 'Um #passoapasso para quem só tem um parapeito e meia hora. 🌿 Funciona até em apartamento virado para o sul, com paciência. #jardim #manjericão #cozinha',
    featured: true,
    pages: [
        page('capa', 0, 0, '#1f5132', [
            image(sill(plant(4) + sun), 'Um vaso de barro com um manjericão cheio na janela, ao sol.', 20, 24, 280, 240),
            text('Manjericão na janela', 20, 284, 280, { ...heading, color: '#f4f8ec', fontSize: 32 }),
            text('Cinco passos, seis semanas, um cheiro que fica na mão.', 20, 370, 280, { ...body, color: '#dcebc9' }),
            link('Começar →', { page: 'material' }, 20, 430, 280, { backgroundColor: '#f2c14e', borderRadius: 8, color: '#1f5132', fontSize: 17, fontWeight: 'bold', padding: 8, textAlign: 'center' })
        ]),
        page('material', 1, 0, paper, [
            text('O que separar', 20, 18, 280, heading),
            image(things, 'Um vaso com terra, um saco de terra, um regador e um envelope de sementes.', 20, 62, 280, 200),
            text('🪴 um vaso com furo embaixo\n🟤 terra leve, com um pouco de areia\n🌱 sementes (uma pitada basta)\n💧 um regador pequeno\n☀️ quatro horas de sol por dia', 20, 276, 280, { ...body, whiteSpace: 'pre-line' }),
            ...turn('capa', 'semear')
        ]),
        step('semear', 2, { title: '1. Semear', body: 'Encha o vaso até dois dedos da borda. Espalhe as sementes e cubra com uma camada fina de terra: elas gostam de sentir a luz.', alt: 'Uma mão deixa cair quatro sementes sobre a terra do vaso.' }, plant(0) + seeds, 'material', 'regar'),
        step('regar', 3, { title: '2. Regar', body: 'Água de manhã, na terra e não nas folhas. Teste com o dedo: se sair limpo e seco, é hora de regar.', alt: 'Um regador azul molha um broto de duas folhas.' }, plant(1) + can, 'semear', 'sol'),
        step('sol', 4, { title: '3. Dar sol', body: 'Gire o vaso um quarto de volta por semana, senão a planta cresce torta, correndo atrás da janela.', alt: 'O sol brilha sobre uma planta com quatro folhas.' }, plant(2) + sun, 'regar', 'podar'),
        step('podar', 5, { title: '4. Podar', body: 'Com um palmo de altura, corte a ponta logo acima de um par de folhas. De cada corte nascem dois galhos.', alt: 'Uma tesoura corta a ponta de uma planta já alta.' }, plant(3) + scissors, 'sol', 'colher'),
        step('colher', 6, { title: '5. Colher', body: 'Nunca mais de um terço por vez. As folhas vão para o prato no fim, fora do fogo. E deixe uma flor para as abelhas. 🐝', alt: 'Um manjericão cheio, pronto para a colheita.' }, plant(4), 'podar', 'capa')
    ]
};

/** The guide's words in Spanish, for the remix of a neighbour across the border. */
export const basilInSpanish: Record<string, string> = {
    'Manjericão na janela': 'Albahaca en la ventana',
    'Cinco passos, seis semanas, um cheiro que fica na mão.': 'Cinco pasos, seis semanas y un olor que se queda en la mano.',
    'Começar →': 'Empezar →',
    'Um vaso de barro com um manjericão cheio na janela, ao sol.': 'Una maceta de barro con una albahaca frondosa en la ventana, al sol.',
    'O que separar': 'Qué preparar',
    'Um vaso com terra, um saco de terra, um regador e um envelope de sementes.': 'Una maceta con tierra, un saco de tierra, una regadera y un sobre de semillas.',
    '🪴 um vaso com furo embaixo\n🟤 terra leve, com um pouco de areia\n🌱 sementes (uma pitada basta)\n💧 um regador pequeno\n☀️ quatro horas de sol por dia': '🪴 una maceta con agujero debajo\n🟤 tierra ligera, con un poco de arena\n🌱 semillas (basta una pizca)\n💧 una regadera pequeña\n☀️ cuatro horas de sol al día',
    '1. Semear': '1. Sembrar',
    'Encha o vaso até dois dedos da borda. Espalhe as sementes e cubra com uma camada fina de terra: elas gostam de sentir a luz.': 'Llena la maceta hasta dos dedos del borde. Esparce las semillas y cúbrelas con una capa fina de tierra: les gusta sentir la luz.',
    'Uma mão deixa cair quatro sementes sobre a terra do vaso.': 'Una mano deja caer cuatro semillas sobre la tierra de la maceta.',
    '2. Regar': '2. Regar',
    'Água de manhã, na terra e não nas folhas. Teste com o dedo: se sair limpo e seco, é hora de regar.': 'Agua por la mañana, en la tierra y no en las hojas. Prueba con el dedo: si sale limpio y seco, toca regar.',
    'Um regador azul molha um broto de duas folhas.': 'Una regadera azul moja un brote de dos hojas.',
    '3. Dar sol': '3. Dar sol',
    'Gire o vaso um quarto de volta por semana, senão a planta cresce torta, correndo atrás da janela.': 'Gira la maceta un cuarto de vuelta por semana; si no, la planta crece torcida, corriendo tras la ventana.',
    'O sol brilha sobre uma planta com quatro folhas.': 'El sol brilla sobre una planta de cuatro hojas.',
    '4. Podar': '4. Podar',
    'Com um palmo de altura, corte a ponta logo acima de um par de folhas. De cada corte nascem dois galhos.': 'Cuando mida un palmo, corta la punta justo encima de un par de hojas. De cada corte nacen dos ramas.',
    'Uma tesoura corta a ponta de uma planta já alta.': 'Unas tijeras cortan la punta de una planta ya alta.',
    '5. Colher': '5. Cosechar',
    'Nunca mais de um terço por vez. As folhas vão para o prato no fim, fora do fogo. E deixe uma flor para as abelhas. 🐝': 'Nunca más de un tercio cada vez. Las hojas van al plato al final, fuera del fuego. Y deja una flor para las abejas. 🐝',
    'Um manjericão cheio, pronto para a colheita.': 'Una albahaca frondosa, lista para la cosecha.'
};
