import Joi from 'joi';

/** How the operators describe their place. */
export interface SiteConfig {
    /** what it is called */
    readonly name: string;
    /** what people agree to when they open an account; empty if there is nothing */
    readonly rules: string;
    /** what the first page says about it; empty for the text that all places have */
    readonly welcome: string;
    /** the file of its logo; null if there is none */
    readonly logo: string | null;
    /** the colour of links and buttons, as `#rrggbb`; null for the usual one */
    readonly color: string | null;
}

/** The settings of the pages. */
export const siteSettings = {
    SITE_NAME: Joi.string().min(1).max(60).default('Pagewright'),
    SITE_RULES: Joi.string().max(10_000).default(''),
    SITE_WELCOME: Joi.string().max(1000).default(''),
    SITE_LOGO: Joi.string(),
    SITE_COLOR: Joi.string().pattern(/^#?[0-9a-f]{6}$/i).messages({ 'string.pattern.base': '{{#label}} must be a colour such as 0b6e4f' })
};

/** @param value valid settings */
export function siteOf(value: Readonly<Record<string, string | number | undefined>>): SiteConfig {
    return {
        name: String(value.SITE_NAME),
        rules: String(value.SITE_RULES),
        welcome: String(value.SITE_WELCOME),
        logo: value.SITE_LOGO === undefined ? null : String(value.SITE_LOGO),
        color: value.SITE_COLOR === undefined ? null : `#${String(value.SITE_COLOR).replace('#', '').toLowerCase()}`
    };
}
