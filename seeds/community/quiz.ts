import { button, image, link, page, text } from '../pieces';
import { svg } from '../pictures';

import type { ElementSeed, JsonObject, PageSeed, ProjectSeed } from '../pieces';

interface Question {
    name: string;
    asks: string;
    picture: string;
    alt: string;
    /** The first choice is the right one; `order` says where each stands on the page. */
    choices: [string, string, string];
    order: [number, number, number];
    because: string;
    hint: string;
}

const font = '"Noto Sans Devanagari", sans-serif';
const sky = '#fff7e8';
const body: JsonObject = { color: '#3a2b57', fontFamily: font, fontSize: 18, lineHeight: 1.55 };

const board = (background: string, drawing: string) => svg(280, 160, `<rect width="280" height="160" rx="14" fill="${background}"/>${drawing}`);

const planets = board('#1b1b3f', `<circle cx="0" cy="80" r="46" fill="#ffb52e"/><g fill="none" stroke="#5b5b92"><ellipse cx="0" cy="80" rx="86" ry="70"/><ellipse cx="0" cy="80" rx="136" ry="106"/><ellipse cx="0" cy="80" rx="196" ry="150"/><ellipse cx="0" cy="80" rx="250" ry="190"/></g>
    <circle cx="84" cy="66" r="7" fill="#b8b0a5"/><circle cx="132" cy="106" r="11" fill="#e9c58d"/><circle cx="192" cy="54" r="12" fill="#4f9ad6"/><circle cx="246" cy="112" r="9" fill="#d1603d"/>`);
const moonlight = board('#16213e', `<circle cx="140" cy="70" r="44" fill="#fdf3c7"/><circle cx="124" cy="58" r="8" fill="#e6d9a0"/><circle cx="156" cy="84" r="11" fill="#e6d9a0"/><circle cx="150" cy="48" r="5" fill="#e6d9a0"/><path d="M0 132q70-20 140 0t140 0v14q0 14-14 14H14q-14 0-14-14z" fill="#0d1430"/><path d="M120 138h40M128 146h24" stroke="#fdf3c7" stroke-width="3" stroke-linecap="round"/>`);
const rainbow = board('#bfe3f5', `${['#e4483c', '#f28c28', '#f7d038', '#49a85a', '#3a7bd5', '#5a4fcf', '#8e44ad'].map((colour, i) => `<path d="M${30 + i * 8} 150a${110 - i * 8} ${110 - i * 8} 0 0 1 ${220 - i * 16} 0" fill="none" stroke="${colour}" stroke-width="8"/>`).join('')}<path d="M132 160v-26q0-8 8-8t8 8v26z" fill="#3a2b57"/><circle cx="140" cy="116" r="9" fill="#3a2b57"/>`);
const lightning = board('#3b4252', '<path d="M50 70q-4-34 30-34 14-28 50-18 34-18 56 14 36 0 34 34-4 20-30 18H76q-24 2-26-14z" fill="#8a93a6"/><path d="M150 84l-34 40h22l-14 32 42-46h-22l16-26z" fill="#ffe04a"/><path d="M210 110q10 10 0 22M224 102q18 18 0 38M238 94q26 26 0 54" fill="none" stroke="#cfd6e4" stroke-width="3" stroke-linecap="round"/>');

const questions: Question[] = [
    {
        name: 'planet', asks: 'सूरज के सबसे पास कौन-सा ग्रह है?', picture: planets, alt: 'सूरज और उसके चारों ओर घूमते चार ग्रह।',
        choices: ['बुध', 'शुक्र', 'मंगल'], order: [1, 0, 2],
        because: 'बुध सूरज का एक चक्कर केवल 88 दिनों में लगा लेता है। वहाँ साल छोटा और दिन बहुत लंबा होता है।', hint: 'चित्र में सबसे छोटी कक्षा को देखिए।'
    },
    {
        name: 'moon', asks: 'चाँद अपनी रोशनी कहाँ से लाता है?', picture: moonlight, alt: 'समुद्र के ऊपर पूरा चाँद।',
        choices: ['सूरज से', 'अपने भीतर से', 'दूसरे तारों से'], order: [2, 1, 0],
        because: 'चाँद एक बड़ा, धूल भरा आईना है: वह सूरज की रोशनी हमारी ओर लौटाता है।', hint: 'जो चीज़ दिन में चमकाती है, वही रात में भी।'
    },
    {
        name: 'rainbow', asks: 'इंद्रधनुष देखना हो तो सूरज कहाँ होना चाहिए?', picture: rainbow, alt: 'एक व्यक्ति के सामने सात रंगों का इंद्रधनुष।',
        choices: ['हमारे पीछे', 'हमारे सामने', 'ठीक सिर के ऊपर'], order: [0, 1, 2],
        because: 'बूँदें सूरज की रोशनी को मोड़कर वापस भेजती हैं, इसलिए सूरज पीठ की ओर और बारिश सामने चाहिए।', hint: 'अपनी परछाईं की ओर मुँह कीजिए।'
    },
    {
        name: 'thunder', asks: 'बिजली पहले दिखती है, गरज बाद में सुनाई देती है। क्यों?', picture: lightning, alt: 'बादल से गिरती बिजली और फैलती ध्वनि-तरंगें।',
        choices: ['प्रकाश ध्वनि से बहुत तेज़ है', 'गरज बाद में बनती है', 'बादल दूर चला जाता है'], order: [1, 0, 2],
        because: 'चमक तुरंत पहुँचती है, आवाज़ को हर किलोमीटर के लिए लगभग तीन सेकंड लगते हैं। गिनिए और दूरी जानिए!', hint: 'दूर से आतिशबाज़ी देखी है कभी?'
    }
];

const pill = (words: string, name: string, top: number): ElementSeed =>
    link(words, { page: name }, 20, top, 280, { backgroundColor: '#5a4fcf', borderRadius: 22, color: '#ffffff', fontFamily: font, fontSize: 17, padding: 9, textAlign: 'center' });

const pagesOf = function (question: Question, index: number): PageSeed[] {
    const next = questions[index + 1];
    const [right, ,] = question.choices;
    return [
        page(question.name, index + 1, 0, sky, [
            text(`${index + 1} / ${questions.length}`, 20, 16, 280, { ...body, fontSize: 14, opacity: 0.7 }),
            image(question.picture, question.alt, 20, 42, 280, 160),
            text(question.asks, 20, 214, 280, { ...body, fontSize: 20, fontWeight: 'bold' }),
            ...question.order.map((choice, place) => pill(question.choices[choice] ?? '', choice === 0 ? `${question.name}-yes` : `${question.name}-no`, 310 + place * 54))
        ]),
        page(`${question.name}-yes`, index + 1, 1, '#e4f7e7', [
            text('✅ बिल्कुल सही!', 20, 40, 280, { ...body, color: '#1f6b3a', fontSize: 28, fontWeight: 'bold' }),
            text(right, 20, 100, 280, { ...body, fontSize: 20 }),
            text(question.because, 20, 176, 280, body),
            pill(next ? 'अगला सवाल →' : 'नतीजा देखिए 🎉', next ? next.name : 'end', 400)
        ]),
        page(`${question.name}-no`, index + 1, 2, '#fdeaea', [
            text('🤔 अभी नहीं…', 20, 40, 280, { ...body, color: '#9b2c2c', fontSize: 28, fontWeight: 'bold' }),
            button('एक इशारा', question.hint, 20, 120, 280, { backgroundColor: '#ffffff', border: '2px dashed #9b2c2c', borderRadius: 12, color: '#9b2c2c', fontFamily: font, fontSize: 17, padding: 10 }),
            pill('फिर से कोशिश कीजिए', question.name, 400)
        ])
    ];
};

export const skyQuiz: ProjectSeed = {
    key: 'quiz',
    author: 'meera',
    language: 'hi',
    title: 'आसमान की पहेली',
    description: 'चार सवाल, बारह जवाब, शून्य अंक: यहाँ ग़लत जवाब भी एक पन्ना है। 🌈⚡ #पहेली #विज्ञान #quiz',
    featured: true,
    pages: [
        page('start', 0, 0, '#5a4fcf', [
            text('आसमान\nकी पहेली', 20, 60, 280, { ...body, color: '#ffffff', fontSize: 44, fontWeight: 'bold', lineHeight: 1.3, whiteSpace: 'pre-line' }),
            text('ऊपर देखिए। अब बताइए, वहाँ हो क्या रहा है?', 20, 220, 280, { ...body, color: '#e9e6ff' }),
            link('शुरू कीजिए', { page: 'planet' }, 20, 380, 280, { backgroundColor: '#ffe04a', borderRadius: 22, color: '#3a2b57', fontFamily: font, fontSize: 20, fontWeight: 'bold', padding: 10, textAlign: 'center' })
        ]),
        ...questions.flatMap(pagesOf),
        page('end', 5, 0, sky, [
            text('🎉', 20, 40, 280, { fontSize: 64, textAlign: 'center' }),
            text('आपने पूरा आसमान पढ़ लिया!', 20, 150, 280, { ...body, fontSize: 26, fontWeight: 'bold', textAlign: 'center' }),
            link('चाँद के बारे में और पढ़िए 🌗', { project: 'moon', page: 'half' }, 20, 290, 280, { backgroundColor: '#101735', borderRadius: 22, color: '#ffe9a8', fontFamily: font, fontSize: 17, padding: 10, textAlign: 'center' }),
            pill('फिर से खेलिए', 'start', 350)
        ])
    ]
};
