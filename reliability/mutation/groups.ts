import type { TestSource } from './lab';

/** Files that are mutated together, and the tests that must notice. */
export interface Part {
    mutate: readonly string[];
    /** the ones of these whose SQL is changed too */
    sql?: readonly string[];
    tests: readonly TestSource[];
}

const filesIn = (folder: string, ...names: string[]): TestSource[] => names.map((name) => ({ file: `test/${folder}/${name}.test.ts` }));

/** The rows of the matrix that match. */
const matrix = (rows: string): TestSource => ({ file: 'test/matrix.test.ts', matching: `by tokens of local .*${rows}` });

/** The tests of revisions; of the races for projects, pages and elements, only those for one of them. */
const revisions = (thing: string): TestSource => ({ file: 'test/projects/revisions.test.ts', matching: `^revisions (?!of (?!${thing}:)an? \\w+: )` });

/** The tests of preconditions and entity tags. */
const preconditions: TestSource = { file: 'test/accounts/users/users.test.ts', matching: 'against the revision|gets 304' };

/** The tests that things are deleted together with what contains them. */
const deletions: Record<'pages' | 'projects' | 'users', TestSource> = {
    pages: { file: 'test/projects/pages/routes.test.ts', matching: 'are deleted with' },
    projects: { file: 'test/projects/routes.test.ts', matching: 'with everything below' },
    users: { file: 'test/accounts/users/users.test.ts', matching: 'deleting an account' }
};

/** The tests of the API description of the routes and their schemas, and of their rate limits. */
const routes: TestSource[] = [
    { file: 'test/api/description/document.test.ts', matching: 'the build writes as openapi.json' }, { file: 'test/api/protection/rate-limits.test.ts', matching: 'writes are limited|sign-ins under|tries at' }
];

const sources = (folder: string, ...names: string[]): string[] => names.map((name) => `src/${folder}/${name}.ts`);

/** The tests of what a bulk has in common with other routes, and of its queue. */
const bulkRoute: TestSource[] = [
    ...routes, ...filesIn('projects/bulk', 'line'), { file: 'test/api/request/idempotency.test.ts', matching: 'a bulk' }, { file: 'test/api/request/trace.test.ts', matching: 'a bulk' }
];

/** The rows of the matrix of who may read what. */
const leaks = (rows: string): TestSource => ({ file: 'test/visibility/leaks.test.ts', matching: `answers .*(?:${rows})` });

/** The tests of who may see and write what. */
const accessTests: TestSource[] = [
    leaks('(?:GET|PATCH|DELETE) /users/{user}/projects/{project}(?:/pages/{page}(?:/elements/{element})?)?$|/feature|by author|PUT .*/members'),
    ...filesIn('visibility', 'visibility'), ...filesIn('rules', 'access'), { file: 'test/rules/conditional-write.test.ts', matching: 'removes the member|PATCH of the page|does not wait' },
    ...filesIn('projects/members', 'members'), ...filesIn('community/moderation', 'log', 'holds')
];

/** A resource's routes and queries. */
function resource(name: string, rows: string, ...tests: TestSource[]): Part {
    return { mutate: [`src/${name}/routes.ts`, `src/${name}/queries.ts`], sql: [`src/${name}/queries.ts`], tests: [...filesIn(name, 'routes'), ...filesIn('rules', 'conditional-write'), ...tests, ...routes, matrix(rows)] };
}

// Without src/*/docs.ts, which has only the texts of the API's description and the errors it lists.
export const groups: Readonly<Record<string, readonly Part[]>> = {
    auth: [
        {
            mutate: [...sources('accounts/tokens', 'routes', 'schema', 'queries', 'json'), ...sources('api/auth', 'secrets')],
            sql: sources('accounts/tokens', 'queries'),
            tests: [
                ...filesIn('accounts/tokens', 'tokens'), ...filesIn('api/auth', 'strategy'), ...filesIn('accounts/users', 'users', 'opening', 'password'), ...routes,
                { file: 'test/api/auth/providers/sign-in.test.ts', matching: 'jwt (?:POST /users opens|a user without an account|the same subject)' }
            ]
        },
        {
            mutate: [...sources('api/auth', 'strategy'), 'src/config/auth.ts', 'src/api/request/caller.ts', ...sources('api/auth/providers', 'bearer', 'ask', 'circuit-breaker', 'claims', 'jwt', 'introspection')],
            tests: [...filesIn('api/auth', 'strategy'), { file: 'test/config/config.test.ts' }, ...filesIn('api/auth/providers', 'introspection', 'jwt', 'sign-in', 'outages'), ...filesIn('accounts/users', 'opening'), ...routes, { file: 'test/headers.test.ts', matching: 'forbid caching' }]
        }
    ],
    guards: [
        resource('projects/elements', '/elements', revisions('an element'), deletions.pages, deletions.projects, deletions.users),
        { mutate: ['src/projects/elements/batched-edits.ts', 'src/api/request/entity-tags.ts', 'src/rules/conditional-write.ts'], sql: ['src/projects/elements/batched-edits.ts', 'src/api/request/entity-tags.ts'],
            tests: [...filesIn('projects/elements', 'routes'), ...filesIn('projects/pages', 'routes'), ...filesIn('projects', 'routes', 'revisions'), ...filesIn('rules', 'conditional-write'), ...filesIn('database/statements', 'leaving'), preconditions, matrix('/elements')] },
        resource('projects/pages', '/pages(?:/{page})? $', revisions('a page'), deletions.projects, deletions.users),
        resource('projects', '/projects', revisions('a project'), deletions.users, ...filesIn('database/statements', 'leaving')),
        resource('projects/remixes', '/remixes', ...filesIn('projects/remixes', 'links'), deletions.projects, deletions.users),
        { mutate: ['src/accounts/users/routes.ts', 'src/accounts/users/queries.ts', 'src/accounts/users/open-account.ts'], sql: ['src/accounts/users/queries.ts'],
            tests: [...filesIn('accounts/users', 'users', 'opening'), ...filesIn('accounts/users', 'password'), ...filesIn('rules', 'conditional-write'), ...filesIn('database/statements', 'leaving'), ...filesIn('api/auth/providers', 'sign-in'), ...routes, matrix('/users(?:/{user})? $')] }
    ],
    access: [
        {
            mutate: [...sources('rules', 'access', 'visibility', 'read', 'chain', 'lock-project'), ...sources('community/moderation', 'acts')],
            sql: [...sources('rules', 'access', 'visibility', 'chain', 'lock-project'), ...sources('community/moderation', 'acts')],
            tests: accessTests
        },
        {
            mutate: sources('projects/members', 'routes', 'queries', 'invitations'),
            sql: sources('projects/members', 'queries', 'invitations'),
            tests: [...filesIn('projects/members', 'members'), ...routes, leaks('members|invitations|/shared')]
        },
        {
            mutate: sources('community/collections', 'routes', 'queries', 'reader'),
            sql: sources('community/collections', 'queries'),
            tests: [...filesIn('community/collections', 'collections'), ...routes, leaks('collection')]
        },
        {
            mutate: sources('community/notices', 'routes', 'outbox', 'rights', 'reading', 'letters'),
            sql: sources('community/notices', 'outbox', 'rights', 'reading', 'letter-queries'),
            tests: [...filesIn('community/notices', 'notices', 'stream', 'letter'), ...routes, leaks('notices')]
        },
        {
            mutate: sources('community/moderation', 'routes', 'queue', 'holds', 'suspensions', 'log'),
            sql: sources('community/moderation', 'queue', 'holds', 'suspensions', 'log'),
            tests: [...filesIn('community/moderation', 'reports', 'holds', 'log', 'suspensions'), ...routes, leaks('/moderation|reports')]
        },
        {
            mutate: sources('community/search', 'queries'),
            sql: [...sources('community/search', 'queries'), ...sources('projects', 'lists')],
            tests: [
                ...filesIn('community/search', 'search'), ...filesIn('community/discovery', 'trending', 'lists'), ...filesIn('visibility', 'visibility'), ...filesIn('projects/members', 'members'),
                deletions.users, { file: 'test/projects/routes.test.ts', matching: 'list' }, leaks('GET /')
            ]
        }
    ],
    bulk: [['apply'], ['load', 'needs', 'plan'], ['routes', 'references', 'schema']].map((names) => ({
        mutate: names.map((name) => `src/projects/bulk/${name}.ts`),
        sql: names.filter((name) => name === 'load').map((name) => `src/projects/bulk/${name}.ts`),
        tests: [
            ...filesIn('projects/bulk', 'references', 'faults', 'loading', 'locks', 'twins', 'roundtrips'), ...names.includes('routes') ? bulkRoute : [], matrix('/bulk'),
            ...names.includes('apply') ? ['pages', 'elements'].map((things) => ({ file: `test/projects/${things}/routes.test.ts`, matching: 'are at most 1,000' })) : []
        ]
    }))
};
