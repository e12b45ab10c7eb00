'use strict';

// Ends a Node.js that is too old, before it loads anything that it cannot read. Old versions have to understand this file.

var OLDEST = 20;

if (Number(process.versions.node.split('.')[0]) < OLDEST) {
    console.error('Pagewright needs Node.js ' + OLDEST + ' or newer, and this is ' + process.versions.node + '. See https://nodejs.org/ to install a newer one.');
    process.exit(1);
}
