/** The least contrast of text, WCAG 2.2 section 1.4.3. */
const LEAST_CONTRAST = 4.5;

/** The background of text in the accent colour, as in `web/style.css`: the one closest to that text. */
export const grounds = { light: '#fffaf3', dark: '#272320' } as const;

type Channels = readonly number[];

const channelsOf = (color: string): Channels => [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16));

const hexOf = (channels: Channels): string => `#${channels.map((channel) => Math.round(channel).toString(16).padStart(2, '0')).join('')}`;

/** Relative luminance, as WCAG 2.2 defines it. */
function luminanceOf(color: string): number {
    const [red, green, blue] = channelsOf(color).map((channel) => (channel / 255 <= 0.04045 ? channel / 255 / 12.92 : ((channel / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * Number(red) + 0.7152 * Number(green) + 0.0722 * Number(blue);
}

/** The contrast of two colours, 1 to 21. */
export function contrastOf(one: string, other: string): number {
    const [darker = 0, lighter = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => a - b);
    return (lighter + 0.05) / (darker + 0.05);
}

/** The colour, with as much black or white in it as is needed to read it on a ground. */
export function readableOn(ground: string, color: string): string {
    const end = luminanceOf(ground) > 0.18 ? 0 : 255;
    const steps = Array.from({ length: 51 }, (_, step) => hexOf(channelsOf(color).map((channel) => channel + (end - channel) * step / 50)));
    return String(steps.find((each) => contrastOf(each, ground) >= LEAST_CONTRAST));
}

/** Styles that give all pages an accent colour. Text on it has at least as much contrast as the colour has on the background. */
export function accentStyles(color: string): string {
    return `:root{--accent:${readableOn(grounds.light, color)};--on-accent:#fff}` +
        `@media (prefers-color-scheme:dark){:root{--accent:${readableOn(grounds.dark, color)};--on-accent:#1c1917}}`;
}
