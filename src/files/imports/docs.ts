import { guarded, onceErrors, openingErrors } from '../../api/errors/registry';
import { HTML, MARKDOWN, ZIP, operations } from '../../api/description/operation';
import { projectBody } from '../../api/representations/project';

export const importOperation = operations('Export and import', {
    importProject: {
        summary: 'Import a project',
        notes: `Creates a project from an exported zip, of this service or another one. It has \`project.json\`, in the format of \`/schemas/project.json\`, and pictures and sounds as \`assets/{sha256}.{extension}\`, which count towards the quota of the user. A \`history.json\` is ignored.
Pages and elements get new ids, and links inside of the project lead to the new ids. The description with its tags is kept. The history of the new project begins with the import.
If the file has errors, the response is 400 and nothing is written; \`details\` has up to 100 errors with their places (\`project.json#/pages/0/elements/3/type\`). The type of the body can also be \`application/octet-stream\` or \`application/x-zip-compressed\`.
A story of Twine 2, as published or archived (\`text/html\`, at most 4 MiB), and Markdown in UTF-8 with \`---\` between pages (\`text/markdown\`, at most 1 MiB) become projects, too: each passage or part is a page, and what has no room on it goes on on the next one. Links between passages, and to headings (\`#to-the-sea\`) and numbers of pages (\`#2\`), lead to the pages. They can also be sent to \`POST /users/{user}/projects\`.
The zip has at most {MAX_IMPORT_MIB} MiB (\`MAX_IMPORT_MIB\`). A user can have two imports in progress at a time.`,
        answers: { 201: projectBody('created') },
        takes: [ZIP, HTML, MARKDOWN],
        headers: ['Location'],
        errors: onceErrors(...guarded, ...openingErrors, 'page_limit', 'element_limit', 'page_size_limit', 'project_size_limit', 'asset_missing', 'type_mismatch', 'asset_limit', 'quota_exceeded', 'picture_blocked', 'publish_bound')
    }
});
