'use strict';

// A worker for the tests of src/main/workers.ts: answers its pid, or ends at once where it is told to.

const Http = require('node:http');

if (process.env.WORKER_FAILS) {
    process.exit(3);
}

process.on('SIGTERM', () => process.exit(0));
Http.createServer((_request, response) => response.setHeader('connection', 'close').end(String(process.pid))).listen(0, '127.0.0.1');
