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
    { file: 'test/openapi/document.test.ts', matching: 'committed as openapi.json' }, { file: 'test/http/load/rate-limits.test.ts', matching: 'writes are limited|sign-ins under|tries at' }
];

const sources = (folder: string, ...names: string[]): string[] => names.map((name) => `src/${folder}/${name}.ts`);

/** What a bulk has in common with other routes, and how many wait for their turn. */
const bulkRoute: TestSource[] = [
    ...routes, ...filesIn('bulk', 'line'), { file: 'test/http/idempotency.test.ts', matching: 'a bulk' }, { file: 'test/http/trace.test.ts', matching: 'a bulk' }
];

/** A resource's routes and queries. */
function resource(name: string, rows: string, ...tests: TestSource[]): Part {
    return { mutate: [`src/${name}/routes.ts`, `src/${name}/queries.ts`], sql: [`src/${name}/queries.ts`], tests: [...filesIn(name, 'routes'), ...filesIn('authoring', 'conditional-write'), ...tests, ...routes, matrix(rows)] };
}

// Not among them: src/*/docs.ts, where nothing is but the texts of the API's description and the errors it lists.
export const groups: Readonly<Record<string, readonly Part[]>> = {
    auth: [
        {
            mutate: [...sources('tokens', 'routes', 'schema', 'queries'), ...sources('auth', 'secrets'), ...sources('representations', 'token')],
            sql: sources('tokens', 'queries'),
            tests: [
                ...filesIn('tokens', 'tokens'), ...filesIn('auth', 'strategy'), ...filesIn('users', 'users', 'opening', 'password'), ...routes,
                { file: 'test/auth/providers/sign-in.test.ts', matching: 'jwt (?:POST /users opens|whoever has no account|the same subject)' }
            ]
        },
        {
            mutate: [...sources('auth', 'strategy', 'credentials', 'settings'), ...sources('auth/providers', 'bearer', 'ask', 'circuit-breaker', 'claims', 'jwt', 'introspection')],
            tests: [...filesIn('auth', 'strategy'), { file: 'test/config.test.ts' }, ...filesIn('auth/providers', 'introspection', 'jwt', 'sign-in', 'outages'), ...filesIn('users', 'opening'), ...routes, { file: 'test/headers.test.ts', matching: 'let nobody keep it' }]
        }
    ],
    guards: [
        resource('elements', '/elements', revisions('an element'), deletions.pages, deletions.projects, deletions.users),
        { mutate: ['src/elements/batched-edits.ts', 'src/http/entity-tags.ts', 'src/authoring/conditional-write.ts'], sql: ['src/elements/batched-edits.ts', 'src/http/entity-tags.ts'],
            tests: [...filesIn('elements', 'routes'), ...filesIn('pages', 'routes'), ...filesIn('projects', 'routes', 'revisions'), ...filesIn('authoring', 'conditional-write'), ...filesIn('db', 'leaving'), preconditions, matrix('/elements')] },
        resource('pages', '/pages(?:/{page})? $', revisions('a page'), deletions.projects, deletions.users),
        resource('projects', '/projects', revisions('a project'), deletions.users, ...filesIn('db', 'leaving')),
        resource('remixes', '/remixes', ...filesIn('remixes', 'links'), deletions.projects, deletions.users),
        { mutate: ['src/users/routes.ts', 'src/users/queries.ts', 'src/users/open-account.ts'], sql: ['src/users/queries.ts'],
            tests: [...filesIn('users', 'users', 'opening'), ...filesIn('users', 'password'), ...filesIn('authoring', 'conditional-write'), ...filesIn('db', 'leaving'), ...filesIn('auth/providers', 'sign-in'), ...routes, matrix('/users(?:/{user})? $')] }
    ],
    bulk: [['apply'], ['load', 'needs', 'state', 'store'], ['routes', 'references', 'schema']].map((names) => ({
        mutate: names.map((name) => `src/bulk/${name}.ts`),
        sql: names.filter((name) => name === 'load' || name === 'store').map((name) => `src/bulk/${name}.ts`),
        tests: [
            ...filesIn('bulk', 'references', 'faults', 'loading', 'locks', 'twins', 'roundtrips'), ...names.includes('routes') ? bulkRoute : [], matrix('/bulk'),
            ...names.includes('apply') ? ['pages', 'elements'].map((things) => ({ file: `test/${things}/routes.test.ts`, matching: 'are at most 1,000' })) : []
        ]
    }))
};
