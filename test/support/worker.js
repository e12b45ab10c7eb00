'use strict';

// A worker for the tests of src/operations/process/workers.ts: returns its pid, and counts that in its metrics; or ends at once if the test says so.

const Http = require('node:http');

const { AggregatorRegistry, Counter } = require('prom-client');

if (process.env.WORKER_FAILS) {
    process.exit(3);
}

process.on('SIGTERM', () => process.exit(0));
// It sends its reply to the process that started it.
new AggregatorRegistry();
const answers = new Counter({ name: 'answers_total', help: 'Answers.' });
Http.createServer((_request, response) => {

    answers.inc();
    response.setHeader('connection', 'close').end(String(process.pid));
}).listen(0, '127.0.0.1');
