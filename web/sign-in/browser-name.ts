/** A name for this browser in the list of what is signed in. */
export const browserName = (): string => {
    const find = (names: readonly string[]): string | undefined => names.find((name) => navigator.userAgent.includes(name));
    return [find(['Firefox', 'Edg', 'OPR', 'Chrome', 'Safari']), find(['Android', 'iPhone', 'iPad', 'Windows', 'Mac OS', 'CrOS', 'Linux'])].filter((part) => part !== undefined).join(', ');
};
