/* eslint-disable @typescript-eslint/no-require-imports -- Neither module has types. */
const config: { apply(type: string, options: object, ...place: string[]): object } = require('@hapi/hapi/lib/config');
const { clone, deepEqual }: { clone<Value>(value: Value, options: { shallow: string[] }): Value; deepEqual(a: object, b: object): boolean } = require('@hapi/hoek');
/* eslint-enable @typescript-eslint/no-require-imports */

const { apply } = config;

/** The routes, as `get /path`, that hapi has checked, in order. */
export const checkedRoutes: string[] = [];

/** The routes whose options hapi has found valid, and left as they were, each with what options it has: that differs between configurations. */
const known = new Set<string>();

/** The names of options, and those in each. */
const shapeOf = (options: object): string => Object.entries(options).map(([name, value]) => `${name}: ${Object.keys(Object(value))}`).join('; ');

/** What hapi does not copy either. */
const shallow = ['bind', 'validate.headers', 'validate.params', 'validate.payload', 'validate.query', 'validate.state'];

// hapi checks the options of every route against a hundred rules, which is two fifths of what it takes to start a server, and tests start
// hundreds of servers with the same routes: once in each process is enough.
// How hapi checks is not documented: test/tools/routes-again.test.ts fails if an upgrade changes it.

config.apply = (type, options, ...place) => {
    if (type !== 'routeConfig') {
        return apply(type, options, ...place);
    }

    const route = place.join(' ');
    const key = `${route} ${shapeOf(options)}`;
    if (known.has(key)) {
        return options;
    }

    checkedRoutes.push(route);
    const before = clone(options, { shallow });
    const valid = apply(type, options, ...place);
    if (deepEqual(valid, before)) {
        known.add(key);
    }

    return valid;
};
