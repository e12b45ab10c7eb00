#!/usr/bin/env node
'use strict';

// Old versions of Node.js must be able to parse this file, to report that they are too old.

require('./check-node');

// Node keeps what it has compiled (22.8 and newer), in a folder that only the owner of this one writes to. Where it cannot write, it does without.
var enableCompileCache = require('module').enableCompileCache;

if (enableCompileCache) {
    enableCompileCache(require('path').join(__dirname, '../.cache/compiled'));
}

var realHost = require('../dist/src/operations/process/host').realHost;

// If nobody reads the output any more (`pagewright admin users | head`), the command is interrupted.
process.stdout.on('error', function () {
    process.emit('SIGTERM', 'SIGTERM');
});

require('../dist/src/operations/command-line').commandLine(process.argv.slice(2), realHost);
