import Joi from 'joi';

import { guarded, missing } from '../errors/registry';
import { ZIP, operations } from '../openapi/operation';

export const operation = operations('Taking it along', {
    exportProject: {
        summary: 'Export a project',
        notes: `A zip of \`project.json\`, which \`/schemas/project.json\` describes, and the pictures and sounds that the project refers to, as \`assets/{sha256}.{ending}\`. Whoever may read the project may export it.
\`history=true\` adds \`history.json\` (\`/schemas/history.json\`): the changes, what each field had before, and what was removed. That is for the owner, members and moderators: 401 without a valid token, 403 for others.
The zip is made while it is sent. If the project changes meanwhile, which only a large one gives time for, the connection is closed before the end of the zip: send the request again.`,
        answers: { 200: Joi.any() },
        type: [ZIP],
        errors: [...missing, 'insufficient_scope', 'forbidden']
    },
    takeOut: {
        summary: 'Take out all that one has',
        notes: `A zip with everything that is the user's: \`account.json\` (the account and its tokens, without secrets), \`projects/{id}.zip\` and \`trash/{id}.zip\` (each project as its export with the history, ready to be imported),
\`trash.json\`, \`memberships.json\`, \`collections.json\`, \`assets.json\`, and the assets that no project refers to. It is made while it is sent, as an export is. A user has at most two takeouts in progress at a time.`,
        answers: { 200: Joi.any() },
        type: [ZIP],
        errors: guarded
    }
});
