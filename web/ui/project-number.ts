/** The number of a project: as it is, or in the address of one of its pages. */
export const projectAddress = /^\s*(?:\S*\/(?:p|edit|projects)\/)?([1-9]\d{0,18})(?:[/?#]\S*)?\s*$/;

export const projectIn = (text: string): string => projectAddress.exec(text)?.[1] ?? '';
