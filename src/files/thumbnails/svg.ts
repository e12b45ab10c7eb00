import { escaped } from '../../../client/src/render/writers';

/** A picture, as PNG that can be put into a drawing. */
export interface PreparedPage {
    href: string;
    width: number;
    height: number;
}

export type Attributes = Readonly<Record<string, number | string | undefined>>;

/** A tag of SVG. Attributes that are undefined are left out. */
export const svgTag = (name: string, attributes: Attributes, inside = ''): string => {
    const pairs = Object.entries(attributes).filter(([, value]) => value !== undefined).map(([key, value]) => ` ${key}="${escaped(typeof value === 'number' ? String(Number(value.toFixed(3))) : String(value))}"`);
    return `<${name}${pairs.join('')}>${inside}</${name}>`;
};
