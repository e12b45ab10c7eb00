import { image, link, page, text } from '../pieces';
import { svg } from '../pictures';

import type { ElementSeed, JsonObject, PageSeed, ProjectSeed } from '../pieces';

const sand = '#fbeed3';
const body: JsonObject = { color: '#43301d', fontFamily: '"Noto Naskh Arabic", "Amiri", serif', fontSize: 19, lineHeight: 1.7 };

const camel = (x: number, y: number, size: number, colour: string) => `<g transform="translate(${x} ${y}) scale(${size})" fill="${colour}"><path d="M-44 0q2-22 18-22 8-22 22-22t20 22q16 0 20 8l10-26q-6-12 6-14l12 2q4 8-6 10l-8 34q-4 16-20 18h-60q-12-2-14-10z"/>
    <path d="M-36 4h7v40h-7zM-20 6h7v38h-7zM14 6h7v38h-7zM28 4h7v40h-7z"/></g>`;

const dunes = (far: string, near: string) => `<path d="M0 170q70-50 150-12 90-44 170 6v96H0z" fill="${far}"/><path d="M0 206q90-40 180-6 80-26 140 0v60H0z" fill="${near}"/>`;

const nightSky = Array.from({ length: 34 }, (_, i) => `<circle cx="${(i * 83 + 9) % 320}" cy="${(i * 29 + 7) % 150}" r="${0.8 + (i % 3) * 0.5}" fill="#fff"/>`).join('');

const star = (x: number, y: number, r: number) => `<path transform="translate(${x} ${y}) scale(${r})" d="M0-10l2 8 8 2-8 2-2 8-2-8-8-2 8-2z" fill="#ffe27a"/>`;

const scene = (sky: string, drawing: string) => svg(320, 240, `<rect width="320" height="240" fill="${sky}"/>${drawing}`);

const camp = scene('#2a2350', `${nightSky}${star(236, 52, 1.8)}${dunes('#5b4568', '#3f2f4f')}<path d="M40 206l50-64 50 64z" fill="#c8693f"/><path d="M90 142l-14 64h28z" fill="#7a3d28"/><path d="M186 206q-6-20 8-34 2 12 8 14 0-12 6-18 14 20 4 38z" fill="#ffb03a"/>${camel(256, 168, 0.8, '#241a33')}`);
const well = scene('#f3b562', `<circle cx="250" cy="60" r="26" fill="#fff1c9"/>${dunes('#e0944a', '#c87a38')}<path d="M110 212v-40h84v40z" fill="#8c6a4f"/><ellipse cx="152" cy="172" rx="42" ry="10" fill="#3a2a20"/><path d="M116 172v-58M188 172v-58M106 116h92" stroke="#5a3d28" stroke-width="7"/><path d="M152 116v46" stroke="#e9dcc0" stroke-width="2"/><path d="M142 160h20l-3 18h-14z" fill="#5a3d28"/>`);
const march = scene('#332a5c', `${nightSky}${star(64, 44, 2.2)}${dunes('#54426b', '#3a2d50')}${[250, 180, 118].map((x, i) => camel(x, 164 + i * 4, 0.62, '#1d152c')).join('')}`);
const elder = scene('#e9c58d', `${dunes('#d9a25c', '#c58643')}<path d="M120 226q2-92 46-92t46 92z" fill="#f5f0e4"/><circle cx="166" cy="116" r="24" fill="#9a6a45"/><path d="M138 112q0-34 28-34t28 34q-28-12-56 0z" fill="#f5f0e4"/><path d="M150 126q16 34 32 0-16 8-32 0z" fill="#fff"/><circle cx="158" cy="112" r="2.6" fill="#2b1b10"/><circle cx="174" cy="112" r="2.6" fill="#2b1b10"/><path d="M222 226l10-120" stroke="#5a3d28" stroke-width="5" stroke-linecap="round"/>`);
const city = scene('#f7d9a0', `<circle cx="60" cy="66" r="30" fill="#fff3d0"/><g fill="#a3593a"><path d="M40 210v-70h50v70zM100 210v-96h40v96zM200 210v-80h80v80z"/><path d="M146 210v-60a36 36 0 0 1 72 0v60z" fill="#c8754a"/></g><path d="M112 114q8-30 16 0z" fill="#2f7f8c"/><path d="M152 132q30-60 60 0z" fill="#2f7f8c"/><path d="M176 210v-30a10 10 0 0 1 20 0v30z" fill="#5a2d1a"/><path d="M0 206h320v34H0z" fill="#d9a25c"/><g fill="#3f7f4a" transform="translate(14)"><path d="M20 206q-8-60 0-70 8 10 4 70z"/><path d="M22 138q-30-10-34 12 18-14 34-12zM22 138q30-10 34 12-18-14-34-12zM22 138q-14-24-30-14 20 0 30 14zM22 138q14-24 30-14-20 0-30 14z"/></g>`);
const oasis = scene('#bfe3e6', `${dunes('#e9c58d', '#d9a860')}<ellipse cx="176" cy="212" rx="104" ry="18" fill="#3f9aa8"/>${[96, 236].map((x) => `<g transform="translate(${x} 200)"><path d="M-4 0q-6-60 4-92 8 32 4 92z" fill="#7a5233"/><g fill="#3f7f4a"><path d="M0-92q-44-12-50 18 24-20 50-18zM0-92q44-12 50 18-24-20-50-18zM0-92q-22-38-46-22 28 2 46 22zM0-92q22-38 46-22-28 2-46 22z"/></g></g>`).join('')}${camel(168, 170, 0.6, '#8a5a34')}`);

const way = (words: string, name: string, top: number): ElementSeed =>
    link(words, { page: name }, 20, top, 280, { backgroundColor: '#7a3d28', borderRadius: 10, color: '#fff4de', fontFamily: '"Noto Naskh Arabic", "Amiri", serif', fontSize: 17, padding: 8 });

const tell = (name: string, x: number, y: number, picture: [string, string], words: string, ways: [string, string][]): PageSeed => page(name, x, y, sand, [
    image(picture[0], picture[1], 0, 0, 320, 240),
    text(words, 20, 250, 280, body),
    ...ways.map(([label, to], i) => way(label, to, 472 - (ways.length - i) * 46))
]);

export const caravanStory: ProjectSeed = {
    key: 'caravan',
    author: 'salma_h',
    language: 'ar',
    rightToLeft: true,
    title: 'القافلة والنجم',
    description: 'قصة قصيرة تختار طريقها بنفسك: ثلاث نهايات، وجمل واحد عنيد. ⭐🐪 #قصة #مغامرة #صحراء',
    featured: true,
    pages: [
        tell('camp', 1, 0, [camp, 'خيمة ونار في الصحراء ليلًا، ونجمة كبيرة فوق الكثبان.'], 'انطفأ نصف النجوم، والدليل مريض. سألك الجميع: من أين الطريق؟', [['اتبع النجمة الكبيرة ⭐', 'march'], ['انتظر الفجر وابحث عن البئر', 'well']]),
        tell('march', 0, 1, [march, 'ثلاثة جمال تسير في صف تحت نجمة ساطعة.'], 'سارت القافلة في صمت. فجأة جلس الجمل الأخير ورفض أن يقوم.', [['اجلس معه حتى يهدأ', 'oasis'], ['اتركه وأكمل الطريق', 'elder']]),
        tell('well', 2, 1, [well, 'بئر حجرية قديمة عند شروق الشمس.'], 'البئر جافة، لكن على حجرها سهم محفور، وتحته كلمة: «اسأل».', [['اتبع السهم', 'elder'], ['ارجع إلى أثر الجمال', 'march']]),
        tell('elder', 1, 2, [elder, 'شيخ بلحية بيضاء وعصا طويلة يقف بين الكثبان.'], 'قال الشيخ: «المدينة قريبة لمن يعرف ما يحمل». ماذا تحمل؟', [['أحمل رسائل الناس', 'city'], ['أحمل الملح والذهب', 'again']]),
        tell('city', 0, 3, [city, 'مدينة من الطين لها قبة زرقاء وباب مفتوح ونخلة.'], 'فُتح الباب قبل أن تطرقه. كل رسالة وجدت صاحبها، ووجدتَ أنت بيتًا. النهاية الأولى.', [['من البداية ↺', 'camp']]),
        tell('oasis', 1, 3, [oasis, 'واحة فيها ماء ونخلتان، والجمل يشرب.'], 'حين هدأ الجمل سمعتم الماء. كان يعرف الواحة منذ زمن. النهاية الثانية.', [['من البداية ↺', 'camp']]),
        tell('again', 2, 3, [camp, 'الخيمة نفسها والنار نفسها والنجمة نفسها.'], 'ابتسم الشيخ واختفى. وعند المساء رأيتم خيمة تعرفونها: خيمتكم. النهاية الثالثة.', [['حاول مرة أخرى ↺', 'camp']])
    ]
};
