'use strict';

// Reads the output of `npm audit --json`: exits with 0 if no weakness is known, 1 if one is, 2 if the registry does not respond.

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
    console.error('NOT AUDITED: the registry does not respond.');
    process.exitCode = 2;
}
else {
    const found = Object.values(vulnerabilities).map(({ name, severity, range }) => `${severity}: ${name} ${range}`);
    console.log(found.length === 0 ? `No known weakness in ${metadata.dependencies.total} packages.` : found.sort().join('\n'));
    process.exitCode = found.length === 0 ? 0 : 1;
}
