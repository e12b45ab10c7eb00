import { image, link, page, text } from '../pieces';
import { svg } from '../pictures';

import type { PageSeed, ProjectSeed } from '../pieces';

interface Season {
    name: string;
    title: string;
    poem: string;
    note: string;
    wall: string;
    ink: string;
    alt: string;
    view: string;
}

const scatter = (count: number, shape: (x: number, y: number, i: number) => string) =>
    Array.from({ length: count }, (_, i) => shape(Math.round(i * 0.7549 * 200) % 200, Math.round(i * 0.5698 * 260) % 260, i)).join('');

const windowFrame = (view: string) => svg(220, 280, `<rect width="220" height="280" fill="#8a5f3c"/><svg x="10" y="10" width="200" height="260">${view}</svg>
    <path d="M110 10v260M10 140h200" stroke="#8a5f3c" stroke-width="7"/><path d="M0 268h220v12H0z" fill="#6f4a2d"/>`);

const branch = '<path d="M-10 60q80-20 130 10 40 20 90 6M60 52q10-30 40-38" fill="none" stroke="#5a3d2b" stroke-width="7" stroke-linecap="round"/>';

const petal = (x: number, y: number, i: number) => `<g transform="translate(${x} ${y}) rotate(${i * 40})" fill="#f7b6c8">${[0, 72, 144, 216, 288].map((turn) => `<ellipse transform="rotate(${turn})" cy="-5" rx="3.4" ry="5"/>`).join('')}<circle r="2" fill="#d9577f"/></g>`;

const seasons: Season[] = [
    {
        name: 'haru', title: '春', poem: '窓あけて\nペンを転がす\n春の風', note: '消しゴムはまだ見つかりません。', wall: '#fdeef2', ink: '#8c2f4f',
        alt: '窓の外に桜の枝。花びらが風に舞っている。',
        view: `<rect width="200" height="260" fill="#d9eefb"/>${branch}${scatter(22, petal)}<path d="M0 236q60-18 110-4t90-4v32H0z" fill="#b5d99c"/>`
    },
    {
        name: 'natsu', title: '夏', poem: '打ち水の\n上をまたいで\n猫ひとり', note: '名前は「しょうゆ」。隣の家の猫です。🐈', wall: '#e6f6ee', ink: '#1f5f4a',
        alt: '夏の路地。濡れた石畳を黒い猫がまたぎ、風鈴が揺れる。',
        view: `<rect width="200" height="260" fill="#9fdcf2"/><circle cx="160" cy="46" r="24" fill="#ffd85a"/><path d="M0 186h200v74H0z" fill="#b9b2a6"/><ellipse cx="96" cy="226" rx="70" ry="14" fill="#7fa9bd"/>
            <path d="M50 0v30" stroke="#555"/><path d="M34 52a16 18 0 0 1 32 0z" fill="#ff7f6e"/><path d="M50 54v16" stroke="#555"/><path d="M44 70h12v30H44z" fill="#fff"/>
            <path d="M70 214q-2-30 20-32h34q16 2 16 16v16h-8v-12H84v12zM126 186l-4-18 10 8 12-2 8-8v20q-4 12-14 12t-12-12zM74 196q-22-6-18-30" fill="#2b2a30" stroke="#2b2a30" stroke-width="3"/><circle cx="134" cy="186" r="2" fill="#ffe27a"/><circle cx="145" cy="186" r="2" fill="#ffe27a"/>`
    },
    {
        name: 'aki', title: '秋', poem: '借りた本\n返しそびれて\n赤とんぼ', note: '図書館のみなさん、ごめんなさい。📚', wall: '#fff1de', ink: '#8a3b12',
        alt: '夕焼けの空に赤とんぼが三匹。すすきが揺れている。',
        view: `<defs><linearGradient id="d" x2="0" y2="1"><stop stop-color="#f08a4b"/><stop offset="1" stop-color="#ffe0a3"/></linearGradient></defs><rect width="200" height="260" fill="url(#d)"/><circle cx="56" cy="170" r="34" fill="#ffcf5a"/>
            ${[[60, 60, 20], [130, 100, -16], [150, 40, 8]].map(([x, y, turn]) => `<g transform="translate(${x} ${y}) rotate(${turn})"><path d="M-22 0h40" stroke="#c0281c" stroke-width="4" stroke-linecap="round"/><circle cx="20" r="5" fill="#8a1c12"/><g fill="#fff" opacity=".75"><ellipse cx="6" cy="-12" rx="5" ry="13"/><ellipse cx="6" cy="12" rx="5" ry="13"/><ellipse cx="-4" cy="-11" rx="4" ry="12"/><ellipse cx="-4" cy="11" rx="4" ry="12"/></g></g>`).join('')}
            ${[20, 48, 76, 120, 150, 182].map((x) => `<path d="M${x} 260q4-50 16-74M${x + 16} 186q14 2 18 16M${x + 14} 192q12 4 14 18" fill="none" stroke="#a8793a" stroke-width="3"/>`).join('')}`
    },
    {
        name: 'fuyu', title: '冬', poem: '湯気ふたつ\n向かい合わせの\n冬の朝', note: 'お茶が冷めるまで、だれも話しません。🍵', wall: '#eef1f7', ink: '#2d3a5c',
        alt: '雪の降る窓辺に、湯気の立つ湯のみが二つ。',
        view: `<rect width="200" height="260" fill="#c3cfe2"/><path d="M0 150l50-56 40 44 50-70 60 82v110H0z" fill="#e9eef6"/>${scatter(40, (x, y, i) => `<circle cx="${x}" cy="${y}" r="${1.5 + (i % 3)}" fill="#fff"/>`)}
            ${[52, 148].map((x, i) => `<g transform="translate(${x} 214)"><path d="M-20 0h40l-4 36h-32z" fill="${i ? '#5a7f6c' : '#a3574a'}"/><ellipse rx="20" ry="5" fill="#7a9a4e"/><path d="M-6-10q-8-12 0-22t0-22M8-10q-8-12 0-22t0-22" fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round"/></g>`).join('')}`
    }
];

const sheet = function (season: Season, index: number): PageSeed {
    const next = seasons[(index + 1) % seasons.length];
    return page(season.name, index % 2, Math.floor(index / 2), season.wall, [
        image(windowFrame(season.view), season.alt, 20, 20, 210, 268),
        text(season.title, 250, 20, 50, { color: season.ink, fontFamily: '"Noto Serif JP", serif', fontSize: 40 }),
        text(season.poem, 20, 300, 225, { color: season.ink, fontFamily: '"Noto Serif JP", serif', fontSize: 20, height: 148, lineHeight: 1.8, whiteSpace: 'pre-line', writingMode: 'vertical-rl' }),
        text(season.note, 20, 452, 220, { color: season.ink, fontSize: 12, opacity: 0.8 }),
        link(next ? `${next.title}へ` : '', { page: next ? next.name : season.name }, 250, 440, 50, { color: season.ink, fontSize: 17, textAlign: 'right' })
    ]);
};

export const windowSeasons: ProjectSeed = {
    key: 'seasons',
    author: 'haruka',
    language: 'ja',
    title: '四季の窓',
    description: 'おなじ窓、おなじ机、ちがう空。一年で四句だけ詠みました。🌸🎐🍁⛄ #俳句 #四季 #art',
    featured: false,
    pages: seasons.map(sheet)
};
