/** SQL that changes collections, in the rows `c`; what follows says which. */
export const updateCollections = (set: string): string => `update collections c set ${set}`;
