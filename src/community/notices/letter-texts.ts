import type { Mail } from '../../api/outgoing/smtp';
import { inLanguage, isolated } from '../../accounts/mail/language';
import { escapedHtml } from '../../api/representations/escaped-html';
import type { NoticeKind } from './kinds';
import type { Notice } from './reading';

/* The texts of the daily letter, in the languages of the site. They are here and not in `web/locales/`, since no browser needs them. */

interface Texts {
    subject(site: string): string;
    intro(name: string, site: string): string;
    kinds: Readonly<Record<NoticeKind, string>>;
    more(count: string): string;
    /** before the link that switches it off */
    off: string;
    question: string;
    button: string;
    done: string;
}

const en: Texts = {
    subject: (site) => `${site}: what is new`,
    intro: (name, site) => `New for the account ${name} at ${site}:`,
    kinds: {
        comment: 'Comments', reply: 'Answers to your comments', mention: 'Somebody mentioned you', remix: 'Remixes',
        feature: 'Featured', member: 'Working together', follow: 'New followers',
        assignment: 'Assignment', handed_in: 'Handed in', returned: 'Looked at by a teacher',
        decision: 'Decision of a moderator', appeal: 'Answer to your appeal'
    },
    more: (count) => `… and ${count} more`,
    off: 'This letter comes once a day at most. To get no more of them, open this link:',
    question: 'Do you want no more letters about what is new?',
    button: 'No more letters',
    done: 'You get no more of these letters. You can switch them on again in your account.'
};

const es: Texts = {
    subject: (site) => `${site}: novedades`,
    intro: (name, site) => `Novedades para la cuenta ${name} de ${site}:`,
    kinds: {
        comment: 'Comentarios', reply: 'Respuestas a tus comentarios', mention: 'Alguien te ha mencionado', remix: 'Remezclas',
        feature: 'Destacado', member: 'Trabajo en común', follow: 'Nuevos seguidores',
        assignment: 'Tarea', handed_in: 'Entregado', returned: 'Revisado por un docente', decision: 'Decisión de un moderador',
        appeal: 'Respuesta a tu recurso'
    },
    more: (count) => `… y ${count} más`,
    off: 'Este correo llega una vez al día como máximo. Para no recibir más, abre este enlace:',
    question: '¿Quieres dejar de recibir correos con las novedades?',
    button: 'No recibir más',
    done: 'No recibirás más correos de estos. Puedes volver a activarlos en tu cuenta.'
};

const pt: Texts = {
    subject: (site) => `${site}: novidades`,
    intro: (name, site) => `Novidades para a conta ${name} em ${site}:`,
    kinds: {
        comment: 'Comentários', reply: 'Respostas aos seus comentários', mention: 'Alguém mencionou você', remix: 'Remixes',
        feature: 'Em destaque', member: 'Trabalho em conjunto', follow: 'Novos seguidores',
        assignment: 'Tarefa', handed_in: 'Entregue', returned: 'Visto por um professor', decision: 'Decisão de um moderador',
        appeal: 'Resposta ao seu recurso'
    },
    more: (count) => `… e mais ${count}`,
    off: 'Este e-mail chega no máximo uma vez por dia. Para não receber mais, abra este link:',
    question: 'Quer deixar de receber e-mails com as novidades?',
    button: 'Não receber mais',
    done: 'Você não receberá mais estes e-mails. Pode ativá-los de novo na sua conta.'
};

const ru: Texts = {
    subject: (site) => `${site}: что нового`,
    intro: (name, site) => `Новое для учётной записи ${name} на ${site}:`,
    kinds: {
        comment: 'Комментарии', reply: 'Ответы на ваши комментарии', mention: 'Вас упомянули', remix: 'Ремиксы',
        feature: 'Выбрано модератором', member: 'Совместная работа', follow: 'Новые подписчики',
        assignment: 'Задание', handed_in: 'Сдано', returned: 'Просмотрено учителем', decision: 'Решение модератора',
        appeal: 'Ответ на вашу жалобу'
    },
    more: (count) => `… и ещё ${count}`,
    off: 'Это письмо приходит не чаще раза в день. Чтобы больше его не получать, откройте ссылку:',
    question: 'Больше не присылать письма о новом?',
    button: 'Больше не присылать',
    done: 'Таких писем больше не будет. Включить их снова можно в вашей учётной записи.'
};

const ar: Texts = {
    subject: (site) => `${site}: الجديد`,
    intro: (name, site) => `الجديد لحساب ${name} في ${site}:`,
    kinds: {
        comment: 'تعليقات', reply: 'ردود على تعليقاتك', mention: 'ذكرك شخص ما', remix: 'نسخ معدّلة', feature: 'مختار',
        member: 'عمل مشترك', follow: 'متابعون جدد',
        assignment: 'واجب', handed_in: 'سُلّم', returned: 'اطّلع عليه معلّم', decision: 'قرار مشرف', appeal: 'الرد على اعتراضك'
    },
    more: (count) => `… و${count} أخرى`,
    off: 'تصل هذه الرسالة مرة واحدة في اليوم على الأكثر. لإيقافها، افتح هذا الرابط:',
    question: 'ألا تريد مزيدًا من الرسائل عن الجديد؟',
    button: 'إيقاف الرسائل',
    done: 'لن تصلك هذه الرسائل بعد الآن. يمكنك تشغيلها من جديد في حسابك.'
};

const all = { en, es, pt, ru, ar };

/** A text that somebody wrote, on one line and set apart from the text around it. */
const named = (text: string, language: string): string => isolated(text.replace(/\s+/g, ' '), language);

interface Letter {
    username: string;
    language: string;
    /** newest first */
    notices: readonly Notice[];
    /** how many more there are */
    more: number;
    /** what the place is called */
    site: string;
    /** to the place, and the one that switches the letter off */
    links: { site: string; off: string };
}

/** The daily letter in the language of the account, or in English. */
export function writtenLetter(
    { username, language: own, notices, more, site, links }: Letter
): Pick<Mail, 'subject' | 'text' | 'language'> {
    const [language, { subject, intro, kinds, more: further, off }] = inLanguage(all, own);
    const number = new Intl.NumberFormat(language);
    const lines = notices.map(({ kind, count, project, assignment, by }) => {
        const title = assignment?.title ?? project?.title ?? (kind === 'follow' ? by?.username : undefined);
        const about = title === undefined ? '' : `: ${named(title, language)}`;
        return `- ${kinds[kind]}${about}${count > 1 ? ` (${number.format(count)})` : ''}`;
    });
    const shown = [...lines, ...more > 0 ? [further(number.format(more))] : []].join('\n');
    return {
        subject: subject(named(site, language)), language,
        text: `${intro(named(username, language), named(site, language))}\n\n${shown}\n\n${links.site}\n\n${off}\n\n${links.off}\n`
    };
}

/** The page behind that link: it asks first, since programs follow links in mails. */
export function offPage(own: string, site: string, isDone: boolean): string {
    const [language, { question, button, done }] = inLanguage(all, own);
    const name = escapedHtml(site).replaceAll('>', '&gt;');
    return `<!doctype html>
<html lang="${language}" dir="${language === 'ar' ? 'rtl' : 'ltr'}">
<head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta name="robots" content="noindex">
    <title>${name}</title>
</head>
<body>
    <main>
        <h1>${name}</h1>
        ${isDone ? `<p role="status">${done}</p>` : `<form method="post"><p>${question}</p><p><button>${button}</button></p></form>`}
    </main>
</body>
</html>
`;
}
