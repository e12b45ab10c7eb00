import Joi from 'joi';

import { guarded, missing } from '../../api/errors/registry';
import { HTML, ZIP, operations } from '../../api/description/operation';

export const exportOperation = operations('Export and import', {
    exportProject: {
        summary: 'Export a project',
        notes: `Returns a zip with \`project.json\` (described by \`/schemas/project.json\`) and all pictures and sounds that the project refers to, as \`assets/{sha256}.{extension}\`. Everybody who can read the project can export it.
\`history=true\` adds \`history.json\` (\`/schemas/history.json\`): the changes, the earlier values of fields, and removed things. Only the owner, members and moderators can export it: 401 without a valid token, 403 for others. \`point\` exports the project as it was at a point of the history, for the same people, and for the teachers of a class to which that point was handed in.
\`as=html\` returns one HTML file instead, which plays the project in any browser, also without a network: pictures, sounds and fonts are in it, and it loads nothing.
The file is made while it is sent. If a large project changes meanwhile, the connection is closed before the end of the file: send the request again.`,
        answers: { 200: Joi.any() },
        type: [ZIP, HTML],
        errors: [...missing, 'insufficient_scope', 'forbidden', 'not_a_point', 'history_gone']
    },
    takeOutClass: {
        summary: 'Export the work of a class',
        notes: `Returns a zip for the teachers of a class: \`class.json\`, \`people.json\` (with the names of the pupils), \`assignments.json\` (all assignments, each with its works), \`works/{id}.zip\` (each work as it was handed in) and \`projects/{id}.zip\` (each project in the class that the teacher can read), all ready to be imported, and each also as a page that plays it in any browser (\`.html\`). \`index.html\` leads to the pages of every pupil. With \`pupil\` it has the works and projects of that pupil alone. It is made while it is sent, like an export.`,
        answers: { 200: Joi.any() },
        type: [ZIP],
        errors: guarded
    },
    takeOut: {
        summary: 'Export everything that one has',
        notes: `Returns a zip with everything that the user has: \`account.json\` (the account and its tokens, without secrets, and its mail address, if the token is one that its user signed in for), \`projects/{id}.zip\` and \`trash/{id}.zip\` (each project as its export with the history, ready to be imported),
\`trash.json\`, \`memberships.json\`, \`collections.json\`, \`classes.json\`, \`comments.json\`, \`notices.json\`, \`assets.json\`, and the assets that no project refers to. It is made while it is sent, like an export. A user can have two takeouts in progress at a time.`,
        answers: { 200: Joi.any() },
        type: [ZIP],
        errors: guarded
    }
});
