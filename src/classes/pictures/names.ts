/**
 * The pictures by which children sign in who cannot type yet, in the order in which they are shown. Each has a name of its own in every
 * language, and none looks like another.
 *
 * Three of these 24 in an order, none twice, are 24 · 23 · 22 = 12,144 choices: 13.5 bits, which somebody would soon have tried. The other
 * part of the secret are the 256 bits of a prepared device, so that the two are 269 bits. Whoever has such a device, such as a classmate,
 * has 20 tries for a pupil in 15 minutes, and finds the pictures of one after three days and nights on average.
 */
export const pictureNames = [
    'sun', 'moon', 'star', 'rainbow', 'umbrella', 'tree', 'flower', 'mushroom', 'apple', 'cherries', 'carrot', 'ice',
    'cat', 'fish', 'snail', 'beetle', 'house', 'car', 'boat', 'kite', 'balloon', 'ball', 'key', 'bell'
] as const;

export type PictureName = typeof pictureNames[number];

/** How many of them a pupil has to choose. */
export const PICTURES = 3;
