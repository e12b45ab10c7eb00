import { isIP } from 'node:net';

import Joi from 'joi';

import { isMailAddress } from './mail-address';
import type { Values } from './values';

/** The server that takes mails. */
export interface SmtpServer {
    host: string;
    port: number;
    /** whether the connection is encrypted from its beginning; if not, by STARTTLS */
    isEncrypted: boolean;
    /** whether mails go over encrypted connections alone, to a server whose certificate is valid */
    requireTls: boolean;
    /** null for a server that asks for none */
    auth: { user: string; pass: string } | null;
}

/** Whom mails are from. */
export interface Sender {
    name: string;
    address: string;
}

const PORTS: Readonly<Record<string, number>> = { 'smtp:': 587, 'smtps:': 465 };

const REQUIRES_TLS = 'requireTLS';

/** The text that is percent-encoded; undefined if it is malformed. */
const decoded = (text: string): string | undefined => {
    try {
        return decodeURIComponent(text);
    }
    catch {
        return undefined;
    }
};

/** The server that a URL names; undefined if it names none. */
function serverOf(text: string): SmtpServer | undefined {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    const usualPort = PORTS[url?.protocol ?? ''];
    if (url === undefined || usualPort === undefined) {
        return undefined;
    }

    const { hostname, port, pathname, searchParams, hash } = url;
    const host = hostname.replace(/^\[|\]$/g, '');
    const [user, pass] = [decoded(url.username), decoded(url.password)];
    const encryption = searchParams.get(REQUIRES_TLS) ?? 'true';
    const isKnown = (isIP(host) !== 0 || /^[A-Za-z0-9_][A-Za-z0-9._-]*$/.test(host)) && ['', '/'].includes(pathname) && hash === '' && [...searchParams.keys()].every((name) => name === REQUIRES_TLS) && ['true', 'false'].includes(encryption);
    if (!isKnown || user === undefined || pass === undefined || (user === '') !== (pass === '')) {
        return undefined;
    }

    const isEncrypted = url.protocol === 'smtps:';
    return { host, port: port === '' ? usualPort : Number(port), isEncrypted, requireTls: isEncrypted || encryption === 'true', auth: user === '' ? null : { user, pass } };
}

/** A sender without a name has that of the place. */
type GivenSender = Omit<Sender, 'name'> & { name: string | null };

/** Whom a text such as `Pagewright <pages@pages.example>` names; undefined if that is nobody. */
function senderOf(text: string): GivenSender | undefined {
    const [, name, address = text] = /^([^<>"\p{C}\p{Zl}\p{Zp}]{1,100}) <([^<>]+)>$/u.exec(text) ?? [];
    return isMailAddress(address) ? { name: name?.trim() ?? null, address } : undefined;
}

/** The settings of mail. */
export const mailSettings = {
    SMTP_URL: Joi.string<SmtpServer | null>().max(1024).custom((value: string, helpers) => serverOf(value) ?? helpers.error('smtp')).default(null)
        .when('PUBLIC_URL', { is: null, then: Joi.forbidden() }).when('SITE', { is: 'off', then: Joi.forbidden() }).when('AUTH_PROVIDER', {
            not: 'local', then: Joi.forbidden()
        })
        .messages({
            smtp: '{{#label}} must be the URL of a mail server, such as smtps://name:password@mail.example or smtp://mail.example:587; with ?requireTLS=false, mails also go there without encryption',
            'any.unknown': '{{#label}} needs PUBLIC_URL, since mails have links to this service, and SITE=on with AUTH_PROVIDER=local'
        }),
    MAIL_FROM: Joi.string<GivenSender | null>().custom((value: string, helpers) => senderOf(value) ?? helpers.error('sender')).default(null).when('SMTP_URL', { not: null, then: Joi.required() })
        .messages({
            sender: '{{#label}} must be a mail address, such as pages@pages.example or Our pages <pages@pages.example>',
            'any.required': '{{#label}} is needed with SMTP_URL: the address that mails are from, such as Our pages <pages@pages.example>'
        })
};

/** How this service sends mail. */
export type MailConfig = NonNullable<ReturnType<typeof mailOf>>;

type MailValues = Values<typeof mailSettings> & { PUBLIC_URL: string | null; SITE_NAME: string };

/** Whether nothing is left out. The schema allows all of it, or no server. */
const isWhole = <Given extends object>(given: Given): given is { [Name in keyof Given]: NonNullable<Given[Name]> } => Object.values(given).every((value) => value !== null);

/** @returns null if it sends none */
export function mailOf({ SMTP_URL: server, MAIL_FROM: from, PUBLIC_URL: origin, SITE_NAME: site }: MailValues) {
    const given = { server, from, origin };
    return !isWhole(given) ? null : Object.freeze({
        server: given.server,
        from: { name: given.from.name ?? site, address: given.from.address } satisfies Sender,
        /** with which the links in mails begin */
        origin: given.origin,
        /** what the place is called */
        site
    });
}
