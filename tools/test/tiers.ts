/** Which tests run when: `npm test`, what `.ci/run` adds, and what `.ci/nightly` adds. What is in none of the lists runs with `npm test`. */
export type Tier = 'test' | 'ci' | 'nightly';

/** By the beginnings of their paths. Tests that start a program, a database engine or a browser of their own, and those of what is seldom changed. */
const ci: readonly string[] = [
    // The built programs, and what operators do.
    'test/operations/process/', 'test/operations/command-line.test.ts', 'test/operations/cli/archive', 'test/operations/cli/backup.', 'test/operations/cli/commands', 'test/database/embedded/',
    'test/operations/cli/assets', 'test/operations/cli/pooler', 'test/operations/samples',
    // Identity providers; the matrix has tokens of theirs too.
    'test/api/auth/providers/', 'test/accounts/identities/sign-in',
    // What is measured or random, and processes that draw.
    'test/patterns', 'test/community/comments/revoked', 'test/files/exports/bounds', 'test/site/assistants/bounds', 'test/files/thumbnails/thumbnails', 'test/api/concurrency/process-pool',
    // Pages in a browser, but for the one of test/site/smoke.test.ts.
    'test/api/description/client-files', 'test/api/request/early-413', 'test/site/sign-in-with', 'test/site/announcements', 'test/site/axe.', 'test/site/brought', 'test/site/browser', 'test/site/conversation', 'test/site/notices', 'test/site/editor.', 'test/site/classes', 'test/site/pictures', 'test/site/publish', 'test/site/sign-up', 'test/api/description/viewer/browser',
    // The tools of development.
    'test/tools/', 'test/docs/', 'test/client/', 'reliability/'
];

/** Everything that takes long, or that other tests show in part. */
const nightly: readonly string[] = [
    'test/tools/test-runner', 'reliability/faults/', 'reliability/fuzz/', 'test/browser.test.ts', 'test/client/package.test.ts', 'test/docker.test.ts', 'test/examples.test.ts', 'test/packed.test.ts', 'test/tools/compare',
    'test/operations/process/heap-growth', 'test/operations/process/own-storage', 'test/operations/cli/backup-under-load', 'test/database/embedded/takeover',
    'test/projects/lineage/large', 'test/projects/pages/large', 'test/projects/history/large', 'test/projects/bulk/line.', 'test/api/protection/slow-clients', 'test/client/after-a-lesson', 'test/site/heavy',
    // Statements, migrations, standbys and clusters: .ci/run has some of them on PostgreSQL 15.
    'test/migrations', 'test/properties', 'test/upgrade', 'test/database/citus/', 'test/database/statements/replica', 'test/projects/plans', 'test/projects/bulk/plans', 'test/projects/bulk/limits', 'test/projects/many',
    'test/projects/lineage/property', 'test/projects/history/property', 'test/files/assets/references', 'test/files/thumbnails/drawing', 'test/tools/build.test',
    'test/files/imports/hostile', 'test/files/assets/hostile-files', 'test/api/description/viewer/axe', 'test/site/assistants/mcp-remote', 'test/files/assets/bucket',
    'test/site/account', 'test/site/admin', 'test/site/apps', 'test/site/archive', 'test/site/assignments', 'test/site/axe-', 'test/site/day', 'test/site/editor-buttons', 'test/site/editor-hands', 'test/site/editor-input', 'test/site/editor-presence', 'test/site/editor-random', 'test/site/editor-together', 'test/site/editor-webmaker', 'test/site/html-file', 'test/site/keyboard', 'test/site/lesson', 'test/site/mail',
    'test/site/offline.', 'test/site/passkeys', 'test/site/personal-tokens', 'test/site/webhooks', 'test/site/zoom'
];

export function tierOf(file: string): Tier {
    const isIn = (list: readonly string[]): boolean => list.some((beginning) => file.startsWith(beginning));
    return isIn(nightly) ? 'nightly' : isIn(ci) ? 'ci' : 'test';
}
