import Joi from 'joi';

import type { Values } from './values';

/** The settings of the pages. */
export const siteSettings = {
    SITE_NAME: Joi.string().min(1).max(60).default('Pagewright'),
    SITE_RULES: Joi.string().max(10_000).default(''),
    SITE_WELCOME: Joi.string().max(1000).default(''),
    SITE_LOGO: Joi.string<string | null>().default(null),
    SITE_IMPRINT: Joi.string<string | null>().default(null),
    SITE_PRIVACY: Joi.string<string | null>().default(null),
    SITE_SECURITY_CONTACT: Joi.string<string | null>().max(500).uri({ scheme: ['https', 'mailto', 'tel'] }).default(null)
        .messages({ 'string.uriCustomScheme': '{{#label}} must be a URL such as mailto:security@pages.example' }),
    SITE_COLOR: Joi.string<string | null>().pattern(/^#?[0-9a-f]{6}$/i).messages({
        'string.pattern.base': '{{#label}} must be a colour such as 0b6e4f'
    })
        .custom((value: string) => `#${value.replace('#', '').toLowerCase()}`).default(null)
};

/** How the operators describe their place. */
export type SiteConfig = ReturnType<typeof siteOf>;

export const siteOf = (value: Values<typeof siteSettings>) => ({
    /** what it is called */
    name: value.SITE_NAME,
    /** what people agree to when they open an account; empty if there is nothing */
    rules: value.SITE_RULES,
    /** what the first page says about it; empty for the text that all places have */
    welcome: value.SITE_WELCOME,
    /** the file of its logo; null if there is none */
    logo: value.SITE_LOGO,
    /** the colour of links and buttons, as `#rrggbb`; null for the usual one */
    color: value.SITE_COLOR,
    /** the file of the text that says who runs it; null if there is none */
    imprint: value.SITE_IMPRINT,
    /** the file of the text that says what it does with data of people; null if there is none */
    privacy: value.SITE_PRIVACY,
    /** where to report weaknesses, as a URL; null if nobody has said so */
    securityContact: value.SITE_SECURITY_CONTACT
});
