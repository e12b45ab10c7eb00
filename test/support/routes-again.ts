/* eslint-disable no-restricted-syntax -- Neither module has types. */
const config: { apply(type: string, options: { ext?: object }, ...place: string[]): object } = require('@hapi/hapi/lib/config');
const { clone, deepEqual }: { clone<Value>(value: Value, options: { shallow: string[] }): Value; deepEqual(a: object, b: object): boolean } = require('@hapi/hoek');
/* eslint-enable no-restricted-syntax */

const { apply } = config;

/** The routes, as `get /path`, that hapi has checked, in order. */
export const checkedRoutes: string[] = [];

/** The routes whose options hapi has found valid, and left as they were, each with the names of its options: they differ between configurations. */
const known = new Set<string>();

/** What hapi does not copy either. */
const shallow = ['bind', 'validate.headers', 'validate.params', 'validate.payload', 'validate.query', 'validate.state'];

// hapi checks the options of every route against a hundred rules, which is two fifths of what it takes to start a server, and tests start
// hundreds of servers with the same routes: once in each process is enough.
// How hapi checks is not documented: test/tools/routes-again.test.ts fails if an upgrade changes it.

config.apply = (type, options, ...place) => {
    // hapi changes what is in `ext`, which a route has with some configurations.
    if (type !== 'routeConfig' || Object.keys(options.ext ?? {}).length > 0) {
        return apply(type, options, ...place);
    }

    const route = place.join(' ');
    const key = `${route} ${Object.keys(options)}`;
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
