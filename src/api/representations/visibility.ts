/** The levels of visibility. The type `visibility` of the database and the constraint collections_visibility have the same, and the site has a text `visibility.…` for each. */
export const visibilities = ['public', 'unlisted', 'private'] as const;

export type Visibility = typeof visibilities[number];
