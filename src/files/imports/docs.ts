import { guarded, onceErrors, openingErrors } from '../../api/errors/registry';
import { ZIP, operations } from '../../api/description/operation';
import { projectBody } from '../../api/representations/project';

export const importOperation = operations('Taking it along', {
    importProject: {
        summary: 'Import a project',
        notes: `Creates a project from an exported zip, of this service or another one. It has \`project.json\`, in the format of \`/schemas/project.json\`, and pictures and sounds as \`assets/{sha256}.{extension}\`, which count towards the quota of the user. A \`history.json\` is ignored.
Pages and elements get new ids, and links inside of the project lead to the new ids. The description with its tags is kept. The history of the new project begins with the import.
If the file has errors, the response is 400 and nothing is written; \`details\` has up to 100 errors with their places (\`project.json#/pages/0/elements/3/type\`). The type of the body can also be \`application/octet-stream\` or \`application/x-zip-compressed\`.
The zip has at most {MAX_IMPORT_MIB} MiB (\`MAX_IMPORT_MIB\`). A user can have two imports in progress at a time.`,
        answers: { 201: projectBody('created') },
        takes: [ZIP],
        headers: ['Location'],
        errors: onceErrors(...guarded, ...openingErrors, 'page_limit', 'element_limit', 'page_size_limit', 'project_size_limit', 'asset_missing', 'asset_limit', 'quota_exceeded', 'publish_bound')
    }
});
