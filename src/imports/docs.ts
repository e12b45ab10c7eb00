import { guarded, onceErrors, opensAccount } from '../errors/registry';
import { ZIP, operations } from '../openapi/operation';
import { projectBody } from '../representations/project';

export const operation = operations('Taking it along', {
    importProject: {
        summary: 'Import a project',
        notes: `Makes a new project of a zip as an export writes it, from this service or from another one: \`project.json\` in the format that \`/schemas/project.json\` describes, perhaps \`history.json\`, which is not looked at, and pictures and sounds as \`assets/{sha256}.{ending}\`, which then are yours too, and count on your quota.
Pages and elements get new ids. Links inside of the project are pointed at the copies, as in a remix. The description and its tags are kept. The history of the new project begins with this import.
If anything is wrong with the file the answer is 400, \`details\` says where (\`project.json#/pages/0/elements/3/type\`), at most 100 errors, and nothing is written. The type of the body may also be \`application/octet-stream\` or \`application/x-zip-compressed\`.
At most 100 MiB (\`MAX_IMPORT_MIB\`). A user has at most two imports in progress at a time.`,
        answers: { 201: projectBody('created') },
        takes: [ZIP],
        headers: ['Location'],
        errors: onceErrors(...guarded, ...opensAccount, 'page_limit', 'element_limit', 'page_size_limit', 'project_size_limit', 'asset_missing', 'asset_limit', 'quota_exceeded')
    }
});
