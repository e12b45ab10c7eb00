'use strict';

// Files of src that begin transactions, each with the reason. Lint fails where any other does (eslint.config.js): a route writes by `write`, a command by `operatorWrite` (src/rules/write.ts).

module.exports = {
    /** No writes of a request or a command. A name that ends with `/` is a folder. */
    excluded: {
        'src/rules/write.ts': 'the one way of a write',
        'src/api/request/idempotency.ts': 'its stage of repetition, which keeps the response in the transaction of the write',
        'src/database/': 'what transactions are made of, snapshots that read, migrations, the distribution to a cluster',
        'src/operations/cli/rollback.ts': 'tries a migration and takes it back',
        'src/operations/cli/schema-commands.ts': 'tries migrations and takes them back'
    },
    /** Work in the background, which leases what it does. */
    background: [
        'src/accounts/webhooks/sending-queries.ts', 'src/files/thumbnails/jobs.ts', 'src/operations/maintenance/thin.ts', 'src/operations/maintenance/unused-assets.ts'
    ]
};
