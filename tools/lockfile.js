'use strict';

// Checks package-lock.json before anything is installed. It needs only Node.

const { readFileSync } = require('node:fs');
const { join } = require('node:path');

/** The one package that has another name here, because two versions of it are needed: docs/dependencies.md says what for. */
const renamed = { '@typescript/native': 'typescript' };

const registry = 'https://registry.npmjs.org/';

/** What is wrong with a package. */
const packageFaults = (path, entry, scripts) => {

    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    return [
        [!path.startsWith('node_modules/') || entry.link, 'is not out of the registry'],
        [entry.name !== undefined && entry.name !== (renamed[name] ?? name), `is "${entry.name}" under another name`],
        [!/^sha512-[A-Za-z0-9+/]{86}==$/.test(entry.integrity), 'has no SHA-512'],
        [entry.resolved !== undefined && !entry.resolved.startsWith(registry), `comes from ${entry.resolved}`],
        [entry.hasInstallScript && scripts[name] === undefined, 'runs something when it is installed: see what, and allow or forbid it in allowScripts of package.json']
    ].filter(([wrong]) => wrong).map(([, what]) => `${path} ${what}`);
};

/** What is wrong with the lock file of a folder. */
const faultsOf = (folder) => {

    const read = (name) => JSON.parse(readFileSync(join(folder, name), 'utf8'));
    const { lockfileVersion, packages } = read('package-lock.json');
    const { dependencies, devDependencies, optionalDependencies, allowScripts = {} } = read('package.json');
    const elsewhere = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies }).filter(([name, wanted]) => !/^[\^~]?[0-9][0-9A-Za-z.+-]*$/.test(name in renamed ? wanted.replace(`npm:${renamed[name]}@`, '') : wanted));
    const { '': own, ...others } = packages;
    return [
        ...lockfileVersion === 3 && own ? [] : ['package-lock.json is of another version of npm'],
        ...elsewhere.map(([name, wanted]) => `package.json wants "${wanted}" for ${name}, which is no version`),
        ...Object.entries(others).flatMap(([path, entry]) => packageFaults(path, entry, allowScripts))
    ];
};

const faults = faultsOf(process.argv[2] ?? join(__dirname, '..'));
faults.forEach((fault) => console.error(fault));
process.exitCode = faults.length === 0 ? 0 : 1;
