import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { brokenPromises, compare, isPromised, unnamedIn } from '../../tools/compare';

export const lab = script();

lab.experiment('The comparison with the last release', () => {

    type Description = ReturnType<typeof JSON.parse>;

    const whole = (): Description => JSON.parse(readFileSync(join(__dirname, '../../openapi.json'), 'utf8'));

    /** The operations that are changed below. To compare all of them takes most of a second. */
    const committed = (): Description => {
        const { paths, ...others } = whole();
        const used = ['/health', '/users', '/projects', '/featured-tags', '/users/{user}/projects', '/users/{user}/projects/{project}/pages/{page}', '/users/{user}/bulk'];
        return { ...others, paths: Object.fromEntries(used.map((path) => [path, paths[path]])) };
    };

    /** A changed description. */
    const changed = (change: (description: Description) => void): Description => {
        const description = committed();
        change(description);
        return description;
    };

    const bodyOf = (description: Description, path: string): Description => description.paths[path].post.requestBody.content['application/json'].schema;
    const answerOf = (description: Description, path: string): Description => description.paths[path].get.responses['200'].content['application/json'].schema;
    const changelog = (line: string): string => `# Changelog\n\n## Unreleased\n\n- Something new.\n${line}\n\n## 0.1.0\n\n- **Breaking:** \`GET /health\` is new.\n`;

    lab.test('finds nothing if nothing has changed', () => {
        expect(compare(whole(), whole())).to.equal([]);
    });

    const harmless: readonly (readonly [string, string, (description: Description) => void])[] = [
        ['a new operation', 'GET /new', ({ paths }) => {
            paths['/new'] = { get: { ...paths['/health'].get, operationId: 'getNew' } };
        }],
        ['a field that may be sent', 'POST /users', (description) => {
            bodyOf(description, '/users').properties.email = { type: 'string' };
        }],
        ['a bound that is wider', 'POST /users/{user}/projects', (description) => {
            bodyOf(description, '/users/{user}/projects').properties.title.maxLength = 1000;
        }],
        ['a type beside a constant of an answer', 'GET /health', (description) => {
            answerOf(description, '/health').properties.status.type = 'string';
        }],
        ['a token that may be sent', 'GET /projects', ({ paths }) => {
            paths['/projects'].get.security = [{}, { token: [] }];
        }],
        ['other prose', 'GET /health', ({ paths }) => {
            paths['/health'].get.summary = 'Ask after the service';
        }]
    ];
    for (const [what, operation, change] of harmless) {
        lab.test(`shows ${what}, which breaks nobody`, () => {
            const changes = compare(committed(), changed(change));
            const found = changes.map(({ of, breaking }) => `${of} ${breaking}`);
            expect([...new Set(found)]).to.equal([`${operation} false`]);
            expect(unnamedIn('', changes)).to.equal([]);
        });
    }

    const breaking: readonly (readonly [string, string, (description: Description) => void])[] = [
        ['an operation that has gone', 'GET /health', ({ paths }) => {
            delete paths['/health'];
        }],
        ['a field that has to be sent', 'POST /users', (description) => {
            bodyOf(description, '/users').required.push('language');
        }],
        ['a bound that is narrower', 'POST /users/{user}/projects', (description) => {
            bodyOf(description, '/users/{user}/projects').properties.title.maxLength = 10;
        }],
        ['a field of an answer that has gone', 'GET /featured-tags', (description) => {
            delete answerOf(description, '/featured-tags').properties.featured;
        }],
        ['another constant', 'GET /health', (description) => {
            answerOf(description, '/health').properties.status.const = 'well';
        }],
        ['an action in a component', 'POST /users/{user}/bulk', ({ components }) => {
            components.schemas.CreatePageAction.properties.data.required.push('styles');
        }],
        ['a parameter that has gone', 'GET /projects', ({ paths }) => {
            paths['/projects'].get.parameters = paths['/projects'].get.parameters.filter(({ $ref }: { $ref: string }) => !$ref.includes('/query.after'));
        }],
        ['a token that is needed', 'GET /projects', ({ paths }) => {
            paths['/projects'].get.security = [{ token: ['projects'] }];
        }]
    ];
    lab.test('fails on another pattern, unless the changelog names the parameter or the field as wider', () => {
        const changes = compare(committed(), changed((description) => {
            bodyOf(description, '/users').properties.username.pattern = '^.{1,20}$';
            description.components.parameters['path.page'].schema.pattern = '^[0-9]+$';
        }));
        const unnamed = (line: string): unknown[] => [...new Set(unnamedIn(changelog(line), changes).map(({ pattern }) => pattern))].sort();
        expect(unnamed('')).to.equal(['page', 'username']);
        expect(unnamed('- **Wider:** a `username` may have blanks.')).to.equal(['page']);
        expect(unnamed('- **Wider:** `username`, and the id of a `page`.')).to.equal([]);
    });

    for (const [what, operation, change] of breaking) {
        lab.test(`fails on ${what}, unless the changelog names the operation as breaking`, () => {
            const changes = compare(committed(), changed(change));
            for (const said of ['', changelog(''), changelog(`- \`${operation}\` has changed.`), changelog('- **Breaking:** `GET /nothing` has gone.')]) {
                expect([...new Set(unnamedIn(said, changes).map(({ of }) => of))]).to.equal([operation]);
            }

            expect(unnamedIn(changelog(`- **Breaking:** \`GET /nothing\` and \`${operation}\` have changed.`), changes)).to.equal([]);
        });
    }

    lab.test('nothing breaks within a major version, but an operation whose time is over may go', () => {
        expect([isPromised('0.3.0', '0.4.0'), isPromised('1.0.0', '1.4.2'), isPromised('1.9.0', '2.0.0')]).to.equal([false, true, false]);
        const responses = { 200: { description: 'OK' } };
        const old = { deprecated: true, description: '**Deprecated** since 2027-01-31: it may be gone from 2028-01-31 on. Use `/new`.', responses };
        const released = { openapi: '3.1.1', info: { title: 'x', version: '1' }, paths: { '/old': { get: old }, '/kept': { get: { responses } } } };
        const changes = compare(released, { ...released, paths: {} });
        const places = (today: string): string[] => brokenPromises(released, changes, today).map(({ of }) => of.replace(/^ /, 'GET '));
        expect(places('2028-01-30').length).to.equal(2);
        expect(places('2028-01-31')).to.have.length(1);
        expect(places('2028-01-31')[0]).to.contain('/kept');
    });
});
