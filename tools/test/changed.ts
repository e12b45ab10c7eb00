import { execFileSync } from 'node:child_process';

import { build } from 'esbuild';

import { root } from '../../test/support/program';

/** A whole server imports nearly all of src. What a test reaches only through it says nothing about what the test is for. */
const whole = ['src/operations/server.ts', 'src/operations/main.ts', 'src/operations/process/serve.ts', 'src/operations/command-line.ts', 'src/operations/cli/main.ts', 'test/support/server.ts', 'test/matrix.test.ts'];

/** The files that differ from a commit, also those that are not committed. */
export function changedSince(commit: string): string[] {
    const git = (...args: string[]): string[] => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n').filter((line) => line !== '');
    return [...new Set([...git('diff', '--name-only', commit), ...git('ls-files', '--others', '--exclude-standard')])];
}

/** The imports of each file. */
async function importsOf(files: readonly string[]): Promise<Map<string, string[]>> {
    // One bundle: with one for each test, the whole server would be written 200 times.
    const contents = files.map((file) => `import ${JSON.stringify(`./${file}`)};`).join('\n');
    const { metafile: { inputs } } = await build({
        absWorkingDir: root, stdin: { contents, resolveDir: root }, bundle: true, write: false, metafile: true, platform: 'node', packages: 'external', outdir: 'unused',
        logLevel: 'silent', jsx: 'automatic', external: ['*.node', '../../client/dist/*', '../client/dist/*']
    });
    return new Map(Object.entries(inputs).map(([file, { imports }]) => [file, imports.filter(({ external }) => external !== true).map(({ path }) => path)]));
}

/** The folder of tests that mirrors one of the source: that of `src/classes/works/queries.ts` is `test/classes/works/`, and that of `web/editor/` is `test/site/editor`. */
const mirrored = (file: string): string | undefined => {
    const [, folder] = /^src\/(.+)\/[^/]+$/.exec(file) ?? [];
    const [, page] = /^web\/([^/]+)\//.exec(file) ?? [];
    return folder !== undefined ? `test/${folder}/` : page !== undefined ? `test/site/${page}` : /^(?:test|reliability)\/.+\//.exec(file)?.[0];
};

/** The folder itself if tests are in it, else the nearest above it that has some. */
const nearest = (folder: string, files: readonly string[]): string[] => {
    const above = /^(test\/.+\/)[^/]+\/$/.exec(folder)?.[1];
    const isThere = folder !== '' && files.some((file) => file.startsWith(folder));
    return isThere ? [folder] : above === undefined ? [] : nearest(above, files);
};

/**
 * The tests for what has changed: those that are in the folder of the same name, and those that import it, but for what they import by starting a whole server.
 * @param files all tests that could be run
 */
export async function testsOf(changed: readonly string[], files: readonly string[]): Promise<string[]> {
    const imports = await importsOf(files);
    const wanted = new Set(changed);
    const folders = [...new Set(changed.flatMap((file) => nearest(mirrored(file) ?? '', files)))];
    const known = new Map<string, boolean>();

    const reaches = (file: string): boolean => {
        const seen = known.get(file);
        if (seen !== undefined) {
            return seen;
        }

        known.set(file, false);
        const found = wanted.has(file) || !whole.includes(file) && (imports.get(file) ?? []).some(reaches);
        known.set(file, found);
        return found;
    };

    return files.filter((file) => folders.some((folder) => file.startsWith(folder)) || reaches(file));
}
