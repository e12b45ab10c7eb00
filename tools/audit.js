'use strict';

// Reads what `npm audit --json` says: exits with 0 where no weakness is known, 1 where one is, 2 where the registry does not tell.

const { readFileSync } = require('node:fs');

const parsed = (text) => {

    try {
        return JSON.parse(text);
    }
    catch {
        return {};
    }
};

const { vulnerabilities, metadata } = parsed(readFileSync(0, 'utf8'));
if (vulnerabilities === undefined || !(metadata?.dependencies?.total > 0)) {
    console.error('NOT AUDITED: the registry does not answer what weaknesses it knows of.');
    process.exitCode = 2;
}
else {
    const found = Object.values(vulnerabilities).map(({ name, severity, range }) => `${severity}: ${name} ${range}`);
    console.log(found.length === 0 ? `None is known in ${metadata.dependencies.total} packages.` : found.sort().join('\n'));
    process.exitCode = found.length === 0 ? 0 : 1;
}
