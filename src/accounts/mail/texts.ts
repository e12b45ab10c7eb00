import { ADDRESS_LINK_HOURS, PASSWORD_LINK_MINUTES } from '../../limits';
import { inLanguage, isolated } from './language';
import type { LeasedMail, MailKind } from './outbox';

/* The texts of mails, in the languages of the site. They are here and not in `web/locales/`, since no browser needs them. */

interface Facts {
    /** what the place is called */
    site: string;
    /** whose account it is */
    name: string;
    /** alone on its line, so that programs find its end */
    link: string;
    /** for how long it works, in words of the language */
    time: string;
}

type Text = (facts: Facts) => { subject: string; text: string };
type Texts = Readonly<Record<MailKind, Text>>;

const en: Texts = {
    confirm: ({ site, name, link, time }) => ({
        subject: `${site}: confirm your address`,
        text: `Somebody wants to use this address for the account ${name} at ${site}.\n\nIf that was you, open this link and sign in:\n\n${link}\n\nIt works for ${time}. If it was not you, do nothing.`
    }),
    password: ({ site, name, link, time }) => ({
        subject: `${site}: a new password`,
        text: `Somebody asked for a new password for the account ${name} at ${site}.\n\nIf that was you, choose one here:\n\n${link}\n\nThe link works once, for ${time}. If it was not you, do nothing: your password stays as it is.`
    }),
    password_changed: ({ site, name, link }) => ({
        subject: `${site}: your password was changed`,
        text: `The account ${name} at ${site} has a new password, by a link that was sent to this address. Everything that was signed in is signed out.\n\nIf that was not you, tell those who run ${site} at once:\n\n${link}`
    }),
    address_changed: ({ site, name, link }) => ({
        subject: `${site}: your address was replaced`,
        text: `The account ${name} at ${site} has another address now. Mails no longer come here.\n\nIf that was not you, tell those who run ${site} at once:\n\n${link}`
    }),
    address_removed: ({ site, name, link }) => ({
        subject: `${site}: your address was removed`,
        text: `This address was removed from the account ${name} at ${site}. Mails no longer come here.\n\nIf that was not you, tell those who run ${site} at once:\n\n${link}`
    })
};

const es: Texts = {
    confirm: ({ site, name, link, time }) => ({
        subject: `${site}: confirma tu dirección`,
        text: `Alguien quiere usar esta dirección para la cuenta ${name} de ${site}.\n\nSi has sido tú, abre este enlace e inicia sesión:\n\n${link}\n\nFunciona durante ${time}. Si no has sido tú, no hagas nada.`
    }),
    password: ({ site, name, link, time }) => ({
        subject: `${site}: una contraseña nueva`,
        text: `Alguien ha pedido una contraseña nueva para la cuenta ${name} de ${site}.\n\nSi has sido tú, elígela aquí:\n\n${link}\n\nEl enlace funciona una sola vez, durante ${time}. Si no has sido tú, no hagas nada: tu contraseña sigue siendo la misma.`
    }),
    password_changed: ({ site, name, link }) => ({
        subject: `${site}: tu contraseña ha cambiado`,
        text: `La cuenta ${name} de ${site} tiene una contraseña nueva, por un enlace que se envió a esta dirección. Se han cerrado todas las sesiones.\n\nSi no has sido tú, avisa enseguida a quienes llevan ${site}:\n\n${link}`
    }),
    address_changed: ({ site, name, link }) => ({
        subject: `${site}: tu dirección ha cambiado`,
        text: `La cuenta ${name} de ${site} tiene ahora otra dirección. Los correos ya no llegan aquí.\n\nSi no has sido tú, avisa enseguida a quienes llevan ${site}:\n\n${link}`
    }),
    address_removed: ({ site, name, link }) => ({
        subject: `${site}: tu dirección se ha quitado`,
        text: `Esta dirección se ha quitado de la cuenta ${name} de ${site}. Los correos ya no llegan aquí.\n\nSi no has sido tú, avisa enseguida a quienes llevan ${site}:\n\n${link}`
    })
};

const pt: Texts = {
    confirm: ({ site, name, link, time }) => ({
        subject: `${site}: confirme o seu endereço`,
        text: `Alguém quer usar este endereço para a conta ${name} em ${site}.\n\nSe foi você, abra este link e entre:\n\n${link}\n\nEle funciona durante ${time}. Se não foi você, não faça nada.`
    }),
    password: ({ site, name, link, time }) => ({
        subject: `${site}: uma nova senha`,
        text: `Alguém pediu uma nova senha para a conta ${name} em ${site}.\n\nSe foi você, escolha-a aqui:\n\n${link}\n\nO link funciona uma só vez, durante ${time}. Se não foi você, não faça nada: a sua senha continua a mesma.`
    }),
    password_changed: ({ site, name, link }) => ({
        subject: `${site}: a sua senha mudou`,
        text: `A conta ${name} em ${site} tem uma nova senha, por um link que foi enviado para este endereço. Todas as sessões foram encerradas.\n\nSe não foi você, avise já quem cuida de ${site}:\n\n${link}`
    }),
    address_changed: ({ site, name, link }) => ({
        subject: `${site}: o seu endereço mudou`,
        text: `A conta ${name} em ${site} tem agora outro endereço. Os e-mails já não chegam aqui.\n\nSe não foi você, avise já quem cuida de ${site}:\n\n${link}`
    }),
    address_removed: ({ site, name, link }) => ({
        subject: `${site}: o seu endereço foi retirado`,
        text: `Este endereço foi retirado da conta ${name} em ${site}. Os e-mails já não chegam aqui.\n\nSe não foi você, avise já quem cuida de ${site}:\n\n${link}`
    })
};

const ru: Texts = {
    confirm: ({ site, name, link, time }) => ({
        subject: `${site}: подтвердите адрес`,
        text: `Кто-то хочет использовать этот адрес для учётной записи ${name} на ${site}.\n\nЕсли это вы, откройте ссылку и войдите:\n\n${link}\n\nОна действует ${time}. Если это не вы, ничего не делайте.`
    }),
    password: ({ site, name, link, time }) => ({
        subject: `${site}: новый пароль`,
        text: `Кто-то попросил новый пароль для учётной записи ${name} на ${site}.\n\nЕсли это вы, задайте его здесь:\n\n${link}\n\nСсылка действует один раз, ${time}. Если это не вы, ничего не делайте: пароль останется прежним.`
    }),
    password_changed: ({ site, name, link }) => ({
        subject: `${site}: ваш пароль изменён`,
        text: `У учётной записи ${name} на ${site} новый пароль — по ссылке, которая была отправлена на этот адрес. Все входы завершены.\n\nЕсли это не вы, сразу сообщите тем, кто ведёт ${site}:\n\n${link}`
    }),
    address_changed: ({ site, name, link }) => ({
        subject: `${site}: ваш адрес заменён`,
        text: `У учётной записи ${name} на ${site} теперь другой адрес. Письма сюда больше не приходят.\n\nЕсли это не вы, сразу сообщите тем, кто ведёт ${site}:\n\n${link}`
    }),
    address_removed: ({ site, name, link }) => ({
        subject: `${site}: ваш адрес удалён`,
        text: `Этот адрес удалён из учётной записи ${name} на ${site}. Письма сюда больше не приходят.\n\nЕсли это не вы, сразу сообщите тем, кто ведёт ${site}:\n\n${link}`
    })
};

const ar: Texts = {
    confirm: ({ site, name, link, time }) => ({
        subject: `${site}: أكّد عنوانك`,
        text: `يريد شخص ما استخدام هذا العنوان لحساب ${name} في ${site}.\n\nإن كنت أنت، فافتح هذا الرابط وسجّل الدخول:\n\n${link}\n\nيعمل الرابط لمدة ${time}. إن لم تكن أنت، فلا تفعل شيئًا.`
    }),
    password: ({ site, name, link, time }) => ({
        subject: `${site}: كلمة مرور جديدة`,
        text: `طلب شخص ما كلمة مرور جديدة لحساب ${name} في ${site}.\n\nإن كنت أنت، فاخترها هنا:\n\n${link}\n\nيعمل الرابط مرة واحدة، لمدة ${time}. إن لم تكن أنت، فلا تفعل شيئًا: تبقى كلمة مرورك كما هي.`
    }),
    password_changed: ({ site, name, link }) => ({
        subject: `${site}: تغيّرت كلمة مرورك`,
        text: `لحساب ${name} في ${site} كلمة مرور جديدة، عبر رابط أُرسل إلى هذا العنوان. سُجّل الخروج من كل الأجهزة.\n\nإن لم تكن أنت، فأخبر فورًا من يديرون ${site}:\n\n${link}`
    }),
    address_changed: ({ site, name, link }) => ({
        subject: `${site}: تغيّر عنوانك`,
        text: `لحساب ${name} في ${site} عنوان آخر الآن. لن تصل الرسائل إلى هنا بعد ذلك.\n\nإن لم تكن أنت، فأخبر فورًا من يديرون ${site}:\n\n${link}`
    }),
    address_removed: ({ site, name, link }) => ({
        subject: `${site}: أُزيل عنوانك`,
        text: `أُزيل هذا العنوان من حساب ${name} في ${site}. لن تصل الرسائل إلى هنا بعد ذلك.\n\nإن لم تكن أنت، فأخبر فورًا من يديرون ${site}:\n\n${link}`
    })
};

const texts = { en, es, pt, ru, ar };

/** How long a link works, in words of a language. */
const timeOf = (kind: MailKind, language: string): string => {
    const [count, unit] = kind === 'confirm' ? [ADDRESS_LINK_HOURS, 'hour'] : [PASSWORD_LINK_MINUTES, 'minute'];
    return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(count);
};

/** The mail in the language of the account, or in English. @param site what the place is called @param link to which it leads */
export function written({ kind, username, language: own }: Pick<LeasedMail, 'kind' | 'username' | 'language'>, { site, link }: { site: string; link: string }): { subject: string; text: string; language: string } {
    const [language, known] = inLanguage(texts, own);
    const { subject, text } = known[kind]({ site: isolated(site, language), name: isolated(username, language), link, time: timeOf(kind, language) });
    return { subject, text: `${text}\n`, language };
}
