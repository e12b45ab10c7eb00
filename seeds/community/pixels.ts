import { image, link, page, text } from '../pieces';
import { png } from '../pictures';

import type { JsonObject, PageSeed, ProjectSeed } from '../pieces';

interface Beast {
    name: string;
    title: string;
    fact: string;
    alt: string;
    paper: string;
    rows: string[];
    palette: Record<string, string>;
}

const beasts: Beast[] = [
    {
        name: 'gato', title: 'Gato', paper: '#ffe8d1', alt: 'Gato laranja de frente, com orelhas pontudas e bigodes.',
        fact: 'Ocupa 102 pixels acordado e a cama inteira dormindo.',
        palette: { o: '#f08a24', d: '#b85f10', w: '#fff5e6', g: '#3f8f4f', k: '#2b1b10', p: '#f7a8b0' },
        rows: ['.o........o.', '.oo......oo.', '.opo....opo.', '.oooooooooo.', '.oododdoodo.', '.oooooooooo.', '.oggooooggo.', '.ogkooookgo.', 'kkowwppwwokk', '.oowwkkwwoo.', 'kkoowwwwookk', '...oooooo...']
    },
    {
        name: 'polvo', title: 'Polvo', paper: '#d9e8fb', alt: 'Polvo roxo de olhos grandes com quatro tentáculos à vista.',
        fact: 'Os outros quatro tentáculos não couberam.',
        palette: { v: '#8e4fc0', d: '#6a3596', w: '#ffffff', k: '#1d1030', l: '#b98be0' },
        rows: ['....vvvv....', '..vvllvvvv..', '.vvllvvvvvv.', '.vlvvvvvvvv.', '.vvwwvvwwvv.', '.vvwkvvwkvv.', '.vvvvvvvvvv.', '..vvvddvvv..', '.vvvvvvvvvv.', 'vvdvvddvvdvv', 'vd.vd..dv.dv', 'v..v....v..v']
    },
    {
        name: 'joaninha', title: 'Joaninha', paper: '#e3f4dc', alt: 'Joaninha vermelha com pintas pretas vista de cima.',
        fact: 'Conte as pintas: são seis. Uma está embaixo da asa.',
        palette: { r: '#d8322a', k: '#1c1c1c', w: '#ffffff', d: '#a31f1a' },
        rows: ['...k....k...', '....k..k....', '....kkkk....', '...kwkkwk...', '..rrrkkrrr..', '.rrkrkkrkrr.', '.rrrrkkrrrr.', 'krrrrkkrrrrk', '.rkkrkkrkkr.', '.drkrkkrkrd.', '..drrkkrrd..', '....dkkd....']
    },
    {
        name: 'baleia', title: 'Baleia', paper: '#cfeaf2', alt: 'Baleia azul soltando um esguicho de água.',
        fact: 'Desenhada em escala 1 : 200. A água é em escala 1 : 1.',
        palette: { b: '#2f6fa8', l: '#bfe0f2', k: '#10202e', s: '#6fb8e0' },
        rows: ['..s.s.......', '...s........', '..s.s.......', '...s......b.', '...s....bb.b', '..bbbb...bbb', '.bbbbbbb..bb', 'bbbbbbbbbbbb', 'bkbbbbbbbbb.', 'bbbbbbbbbb..', '.llllllbb...', '..lllll.....']
    },
    {
        name: 'beija-flor', title: 'Beija-flor', paper: '#fdf0f7', alt: 'Beija-flor verde com bico comprido diante de uma flor rosa.',
        fact: 'Bate as asas tão depressa que só deu para desenhar uma.',
        palette: { g: '#1f9e6d', t: '#0f6b4a', k: '#14211c', p: '#e8569a', y: '#ffd23f', w: '#d7f0e6', s: '#4c9a57' },
        rows: ['.....ww.....', '....www..gg.', '...wwww.ggkg', '..wwwwggggg.', '...wwgggg..k', '..tgggggg..k', '.ttggggg...k', 'tttggg....pk', 'tt.......ppp', '.........pyp', '.........ppp', '..........s.']
    }
];

const title: JsonObject = { color: '#2b2438', fontFamily: 'monospace', fontSize: 30, fontWeight: 'bold', textAlign: 'center' };
const caption: JsonObject = { color: '#2b2438', fontFamily: 'monospace', fontSize: 15, lineHeight: 1.45, textAlign: 'center' };

const sheet = (beast: Beast, x: number, next: string, label: string): PageSeed => page(beast.name, x, 0, beast.paper, [
    image(png(beast.rows, beast.palette), beast.alt, 40, 30, 240, 240, { imageRendering: 'pixelated' }),
    text(beast.title, 20, 290, 280, title),
    text(beast.fact, 20, 336, 280, caption),
    link(label, { page: next }, 20, 432, 280, { color: '#7a3fa0', fontFamily: 'monospace', fontSize: 16, textAlign: 'center' })
]);

export const pixelBeasts: ProjectSeed = {
    key: 'pixels',
    author: 'tiago-luz',
    language: 'pt-BR',
    title: 'Bichos de doze pixels',
    description: 'Cinco bichos, cada um em 12 × 12 quadradinhos. Faça um remix e acrescente o seu! 👾 #pixelart #bichos #remix',
    featured: false,
    pages: beasts.map((beast, x) => sheet(beast, x, beasts[(x + 1) % beasts.length]?.name ?? beast.name, 'próximo bicho ▶'))
};

/** The page that a remix adds, and the words in which it tells of the others. */
export const foxPage = sheet({
    name: 'fox', title: 'Fox', paper: '#fbe3d6', alt: 'A red fox facing us, with white cheeks and black ears.',
    fact: 'Wasn’t invited. Came anyway. Is now on page six.',
    palette: { r: '#d9541e', w: '#fff8f0', k: '#241812', n: '#8a2f0c' },
    rows: ['k..........k', 'kk........kk', 'krr......rrk', 'krrrrrrrrrrk', '.rrrrrrrrrr.', '.rrnrrrrnrr.', '.rkkrrrrkkr.', 'wwrrrrrrrrww', 'wwwwrrrrwwww', '.wwwwrrwwww.', '...wwkkww...', '.....kk.....']
}, 5, 'fox', 'that’s all of us ◆');

export const beastsInEnglish: Record<string, string> = {
    'Gato': 'Cat',
    'Ocupa 102 pixels acordado e a cama inteira dormindo.': 'Takes up 103 pixels awake and the whole bed asleep.',
    'Gato laranja de frente, com orelhas pontudas e bigodes.': 'An orange cat facing us, with pointed ears and whiskers.',
    'Polvo': 'Octopus',
    'Os outros quatro tentáculos não couberam.': 'The other four arms did not fit.',
    'Polvo roxo de olhos grandes com quatro tentáculos à vista.': 'A purple octopus with big eyes and four arms in view.',
    'Joaninha': 'Ladybird',
    'Conte as pintas: são seis. Uma está embaixo da asa.': 'Count the spots: there are six. One is under the wing.',
    'Joaninha vermelha com pintas pretas vista de cima.': 'A red ladybird with black spots, seen from above.',
    'Baleia': 'Whale',
    'Desenhada em escala 1 : 200. A água é em escala 1 : 1.': 'Drawn at 1 : 200. The water is at 1 : 1.',
    'Baleia azul soltando um esguicho de água.': 'A blue whale blowing a jet of water.',
    'Beija-flor': 'Hummingbird',
    'Bate as asas tão depressa que só deu para desenhar uma.': 'Beats its wings so fast that there was only time to draw one.',
    'Beija-flor verde com bico comprido diante de uma flor rosa.': 'A green hummingbird with a long beak at a pink flower.',
    'próximo bicho ▶': 'next beast ▶'
};
