'use strict';

// Ends a Node.js that is too old, before it loads anything that it cannot read. Old versions have to understand this file.

var OLDEST = [20, 19];
var parts = process.versions.node.split('.').map(Number);

if (parts[0] < OLDEST[0] || (parts[0] === OLDEST[0] && parts[1] < OLDEST[1])) {
    console.error('Pagewright needs Node.js ' + OLDEST.join('.') + ' or newer, and this is ' + process.versions.node + '. See https://nodejs.org/ to install a newer one.');
    process.exit(1);
}
