import type { TestSource } from './lab';

/** Files that are mutated together, and the tests that are to notice. */
export interface Part {
    mutate: readonly string[];
    /** of these, those whose SQL is changed too */
    sql?: readonly string[];
    tests: readonly TestSource[];
}

const filesIn = (folder: string, ...names: string[]): TestSource[] => names.map((name) => ({ file: `test/${folder}/${name}.test.ts` }));

/** Those rows of the matrix that fit. */
const matrix = (rows: string): TestSource => ({ file: 'test/matrix.test.ts', matching: `by tokens of local .*${rows}` });

/** How revisions grow and guard; of the thousand races each for projects, pages and elements, those for one of them. */
const revisions = (thing: string): TestSource => ({ file: 'test/projects/revisions.test.ts', matching: `^revisions (?!of (?!${thing}:)an? \\w+: )` });

/** Preconditions and entity tags in all their forms. */
const preconditions: TestSource = { file: 'test/users/users.test.ts', matching: 'against the revision|told so' };

/** What is gone with what was around it. */
const deletions: Record<'pages' | 'projects' | 'users', TestSource> = {
    pages: { file: 'test/pages/routes.test.ts', matching: 'are deleted with' },
    projects: { file: 'test/projects/routes.test.ts', matching: 'with everything below' },
    users: { file: 'test/users/users.test.ts', matching: 'deleting an account' }
};

/** What the description says of the routes and their schemas, and which limits they come under. */
const routes: TestSource[] = [
    { file: 'test/description/index.test.ts', matching: 'committed as openapi.json' }, { file: 'test/http/limits.test.ts', matching: 'writes are limited|sign-ins under|tries at' }
];

const auth = (...names: string[]): string[] => names.map((name) => `src/auth/${name}.ts`);

/** What a bulk has in common with other routes, and how many wait for their turn. */
const bulkRoute: TestSource[] = [
    ...routes, ...filesIn('bulk', 'line'), { file: 'test/http/idempotency.test.ts', matching: 'a bulk' }, { file: 'test/http/trace.test.ts', matching: 'a bulk' }
];

/** A resource's routes and queries. */
function resource(name: string, rows: string, ...tests: TestSource[]): Part {
    return { mutate: [`src/${name}/index.ts`, `src/${name}/queries.ts`], sql: [`src/${name}/queries.ts`], tests: [...filesIn(name, 'routes'), ...filesIn('db', 'guarded'), ...tests, ...routes, matrix(rows)] };
}

// Not among them: src/*/operations.ts, where nothing is but the texts of the API's description and the errors it lists.
export const groups: Readonly<Record<string, readonly Part[]>> = {
    auth: [
        {
            mutate: auth('tokens', 'secrets', 'schema', 'present', 'queries'),
            sql: auth('queries'),
            tests: [
                ...filesIn('auth', 'tokens', 'strategy', 'password'), ...filesIn('users', 'users', 'opening'), ...routes,
                { file: 'test/auth/providers.test.ts', matching: 'jwt (?:POST /users opens|whoever has no account|the same subject)' }
            ]
        },
        {
            mutate: auth('bearers', 'strategy', 'credentials', 'settings', 'provider', 'circuit', 'claims', 'jwt', 'introspection'),
            tests: [...filesIn('auth', 'strategy'), { file: 'test/config.test.ts' }, ...filesIn('auth', 'introspection', 'jwt', 'providers', 'outages'), ...filesIn('users', 'opening'), ...routes, { file: 'test/headers.test.ts', matching: 'let nobody keep it' }]
        }
    ],
    guards: [
        resource('elements', '/elements', revisions('an element'), deletions.pages, deletions.projects, deletions.users),
        { mutate: ['src/elements/edits.ts', 'src/http/revisions.ts', 'src/db/guarded.ts'], sql: ['src/elements/edits.ts', 'src/http/revisions.ts'],
            tests: [...filesIn('elements', 'routes'), ...filesIn('pages', 'routes'), ...filesIn('projects', 'routes', 'revisions'), ...filesIn('db', 'guarded', 'leaving'), preconditions, matrix('/elements')] },
        resource('pages', '/pages(?:/{page})? $', revisions('a page'), deletions.projects, deletions.users),
        resource('projects', '/projects', revisions('a project'), deletions.users, ...filesIn('db', 'leaving')),
        resource('remixes', '/remixes', ...filesIn('remixes', 'links'), deletions.projects, deletions.users),
        { mutate: ['src/users/index.ts', 'src/users/queries.ts', 'src/users/opening.ts'], sql: ['src/users/queries.ts'],
            tests: [...filesIn('users', 'users', 'opening'), ...filesIn('auth', 'password'), ...filesIn('db', 'guarded', 'leaving'), ...filesIn('auth', 'providers'), ...routes, matrix('/users(?:/{user})? $')] }
    ],
    bulk: [['apply'], ['load', 'needs', 'state', 'store'], ['index', 'references', 'schema']].map((names) => ({
        mutate: names.map((name) => `src/bulk/${name}.ts`),
        sql: names.filter((name) => name === 'load' || name === 'store').map((name) => `src/bulk/${name}.ts`),
        tests: [
            ...filesIn('bulk', 'references', 'faults', 'loading', 'locks', 'twins', 'roundtrips'), ...names.includes('index') ? bulkRoute : [], matrix('/bulk'),
            ...names.includes('apply') ? ['pages', 'elements'].map((things) => ({ file: `test/${things}/routes.test.ts`, matching: 'are at most 1,000' })) : []
        ]
    }))
};
