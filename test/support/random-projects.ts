import type { Dice } from './dice';

const words = ['Tomatoes', '', ' ', 'Ä#tag 🌿', '"quoted"\\', '日本語', 'a'.repeat(300), '\u2028', '<b>', 'asset:none', '0', 'null'];
const keys = ['text', 'left', 'ключ', '0', '10', '2', '', 'a.b', 'a/b', '~', 'type', 'elements', 'pages', 'constructor'];

/** A JSON value of a few levels. */
function value(dice: Dice, depth: number): unknown {
    switch (dice.below(depth === 0 ? 5 : 7)) {
        case 0:
            return dice.pick([0, -1, 1.5, 1e21, -1e-7, 2 ** 53, 123456789.123]);
        case 1:
            return dice.chance(0.5);
        case 2:
            return null;
        case 5:
            return Array.from({ length: dice.below(4) }, () => value(dice, depth - 1));
        case 6:
            return freeObject(dice, depth - 1);
        default:
            return dice.chance(0.01) ? 'x'.repeat(70_000) : dice.pick(words);
    }
}

/** A free-form object. */
export function freeObject(dice: Dice, depth = 3): object {
    return Object.fromEntries(Array.from({ length: dice.below(5) }, () => [dice.pick(keys), value(dice, depth)]));
}

export interface RandomPage {
    id: string;
    x: number;
    y: number;
    styles?: object;
    elements: { type: string; attributes?: object; styles?: object }[];
}

/** The file of a project as an author could make it, with links to its pages, to none of them, and elsewhere. */
export function randomFile(dice: Dice): { project: { id: string; title: string }; pages: RandomPage[] } {
    const count = dice.below(5);
    const link = (): object => ({
        ...freeObject(dice),
        ...dice.chance(0.8) && { targetProjectId: dice.pick(['77000000000', 77000000000, '78000000000', '', null, 'me']) }, ...dice.chance(0.8) && { targetPageId: dice.pick(['1', 2, '3', '4', '99', '', null]) }
    });
    return {
        project: {
            id: '77', title: dice.pick(['Plants', '🌿', ' ', 'a'.repeat(256)]) ?? '',
            ...dice.chance(0.5) && { description: dice.pick(['A #garden of #plants', '', 'none']) },
            ...dice.chance(0.3) && { thumbnail: { 320: 'https://pictures.example.org/1.png' } },
            ...dice.chance(0.5) && { visibility: dice.pick(['public', 'unlisted', 'private']) }
        },
        pages: Array.from({ length: count }, (_one, index) => ({
            id: String(index + 1), x: index * dice.between(-3, 3) + 0, y: index, ...dice.chance(0.7) && { styles: freeObject(dice) },
            elements: Array.from({ length: dice.chance(0.05) ? 150 : dice.below(6) }, () => {
                const isLink = dice.chance(0.3);
                return {
                    type: isLink ? 'link' : dice.pick(['text', 'image', 'x']) ?? '',
                    ...isLink ? { attributes: link() } : dice.chance(0.8) && { attributes: freeObject(dice) }, ...dice.chance(0.5) && { styles: freeObject(dice) }
                };
            })
        }))
    };
}
