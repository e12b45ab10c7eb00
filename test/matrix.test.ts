import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { version } from '../src/api/description/version';
import { callers, Cast, stored } from './support/cast';
import type { Caller, Target } from './support/cast';
import { drawing, hashOf } from './support/files';
import { build } from './support/program';
import { startProvider } from './support/provider';
import type { TestProvider } from './support/provider';
import { PASSWORD, startTestServer } from './support/server';
import type { TestServer } from './support/server';
import { fileOf, projectZip } from './support/zips';

export const lab = script();

/**
 * Who may do what. The columns are the tokens of a request: none, an invalid one, an expired one, a revoked one, the
 * owner's without the scope, a deleted moderator's, another user's, the owner's, a moderator's, and, with another provider,
 * that of a user without an account. `=` marks a success that stores nothing; a GET or a rejection must store nothing either.
 * `me` in a path is the caller; `my…` is like `…`, but begins with `me`.
 */
const matrix = `
                                                                          none garbage expired revoked scope deleted stranger owner moderator newcomer
    GET     /health                                                        200     200     200     200   200     200      200   200       200      200
    GET     /ready                                                         200     200     200     200   200     200      200   200       200      200
    GET     /openapi.json                                                  200     200     200     200   200     200      200   200       200      200
    GET     /                                                              302     302     302     302   302     302      302   302       302      302
    GET     /docs                                                          200     200     200     200   200     200      200   200       200      200
    GET     /docs/docs.css                                                 200     200     200     200   200     200      200   200       200      200
    GET     /docs/docs.js                                                  200     200     200     200   200     200      200   200       200      200
    GET     /docs/favicon-32x32.png                                        200     200     200     200   200     200      200   200       200      200
    GET     /docs/swagger-ui-bundle.js                                     200     200     200     200   200     200      200   200       200      200
    GET     /docs/swagger-ui.css                                           200     200     200     200   200     200      200   200       200      200
    GET     /schemas/project.json                                          200     200     200     200   200     200      200   200       200      200
    GET     /schemas/history.json                                          200     200     200     200   200     200      200   200       200      200
    GET     /schemas/elements.json                                         200     200     200     200   200     200      200   200       200      200
    GET     /client/{file}                                                 200     200     200     200   200     200      200   200       200      200
    GET     /client/{version}/{file}                                       200     200     200     200   200     200      200   200       200      200
    POST    /tokens                                                        201     201     201     201   201     201      201   201       201      201
    GET     /tokens                                              user      401     401     401     401   403     401      200   200       200      403
    DELETE  /tokens                                              user      401     401     401     401   403     401      200   200       200      403
    DELETE  /tokens/{token}                                      user      401     401     401     401   403     401      404   200       404      403

    GET     /discover                                                      200     200     200     200   200     200      200   200       200      200
    GET     /discover/pt-BR                                                200     200     200     200   200     200      200   200       200      200
    GET     /search                                                        200     200     200     200   200     200      200   200       200      200
    GET     /trending                                                      200     200     200     200   200     200      200   200       200      200
    GET     /featured-tags                                                 200     200     200     200   200     200      200   200       200      200
    GET     /projects                                                      200     200     200     200   200     200      200   200       200      200
    GET     /projects/tagged/art                                           200     200     200     200   200     200      200   200       200      200
    GET     /projects/{project}                                            200     200     200     200   200     200      200   200       200      200
    POST    /users                                                         201     201     201     201   201     201      201   201       201      201
    GET     /users/{user}                                        user      401     401     401     401   403     401      403   200       403      403
    PATCH   /users/{user}                                        user      401     401     401     401   403     401      403   200       403      403
    DELETE  /users/{user}                                        user      401     401     401     401   403     401      403   200       403      403
    PUT     /users/{user}/password                               user      401     401     401     401   403     401      403   200       403      403
    GET     /users/{user}/projects                                         200     200     200     200   200     200      200   200       200      200
    POST    /users/{user}/projects                               projects  401     401     401     401   403     401      403   201       403      403
    GET     /users/{user}/projects/{project}                               200     200     200     200   200     200      200   200       200      200
    PATCH   /users/{user}/projects/{project}                     projects  401     401     401     401   403     401      403   200       403      403
    DELETE  /users/{user}/projects/{project}                     projects  401     401     401     401   403     401      403   200       200      403
    PATCH   /users/{user}/projects/{project}/feature             projects  401     401     401     401   403     401      403   403       200      403
    GET     /users/{user}/projects/{project}/pages                         200     200     200     200   200     200      200   200       200      200
    POST    /users/{user}/projects/{project}/pages               projects  401     401     401     401   403     401      403   201       403      403
    GET     …/pages/{page}                                                 200     200     200     200   200     200      200   200       200      200
    PATCH   …/pages/{page}                                       projects  401     401     401     401   403     401      403   200       403      403
    DELETE  …/pages/{page}                                       projects  401     401     401     401   403     401      403   200       200      403
    GET     …/pages/{page}/elements                                        200     200     200     200   200     200      200   200       200      200
    POST    …/pages/{page}/elements                              projects  401     401     401     401   403     401      403   201       403      403
    GET     …/pages/{page}/elements/{element}                              200     200     200     200   200     200      200   200       200      200
    PATCH   …/pages/{page}/elements/{element}                    projects  401     401     401     401   403     401      403   200       403      403
    DELETE  …/pages/{page}/elements/{element}                    projects  401     401     401     401   403     401      403   200       200      403
    GET     /users/{user}/projects/{project}/remixes                       200     200     200     200   200     200      200   200       200      200
    POST    /users/{user}/projects/{project}/remixes             projects  401     401     401     401   403     401      201   201       201      201
    GET     /users/{user}/projects/{project}/events                        200     200     200     200   200     200      200   200       200      200
    GET     …/history                                            projects  401     401     401     401   403     401      403   200       200      403
    GET     …/history/{revision}                                 projects  401     401     401     401   403     401      403   200       200      403
    PUT     …/history/{revision}/label                           projects  401     401     401     401   403     401      403   200       403      403
    DELETE  …/history/{revision}/label                           projects  401     401     401     401   403     401      403   200       403      403
    POST    …/history/{revision}/restore                         projects  401     401     401     401   403     401      403   200=      403      403
    POST    …/history/{revision}/undo                            projects  401     401     401     401   403     401      403   409       403      403
    GET     …/changes                                                      200     200     200     200   200     200      200   200       200      200
    GET     …/lineage                                                      200     200     200     200   200     200      200   200       200      200
    GET     …/upstream                                                     404     401     401     401   404     401      404   404       404      404
    POST    …/upstream/pull                                      projects  401     401     401     401   403     401      403   404       403      403
    GET     …/export                                                       200     200     200     200   200     200      200   200       200      200
    POST    /users/{user}/imports                                projects  401     401     401     401   403     401      403   201       403      403
    GET     /users/{user}/takeout                                user      401     401     401     401   403     401      403   200       403      403
    GET     …/members                                            projects  401     401     401     401   403     401      403   200       200      403
    PUT     …/members/{username}                                 projects  401     401     401     401   403     401      403   200       403      403
    DELETE  …/members/{username}                                 projects  401     401     401     401   403     401      403   200       403      403
    PUT     …/presence                                           projects  401     401     401     401   403     401      403   200       403      403
    GET     …/invitations                                        projects  401     401     401     401   403     401      403   200       403      403
    POST    …/invitations                                        projects  401     401     401     401   403     401      403   201       403      403
    DELETE  …/invitations/{invitation}                           projects  401     401     401     401   403     401      403   200       403      403
    POST    /invitations                                         projects  401     401     401     401   403     401      200   409       200      200
    GET     /users/{user}/shared                                 projects  401     401     401     401   403     401      403   200       403      403
    GET     /users/{user}/trash                                  projects  401     401     401     401   403     401      403   200       200      403
    POST    /users/{user}/trash/{entry}/restore                  projects  401     401     401     401   403     401      403   200       403      403
    DELETE  /users/{user}/trash/{entry}                          projects  401     401     401     401   403     401      403   200       403      403
    POST    /projects/{project}/reports                          projects  401     401     401     401   403     401      201   403       201      403
    GET     /moderation/reports                                  projects  401     401     401     401   403     401      403   403       200      403
    PATCH   /moderation/reports/{project}                        projects  401     401     401     401   403     401      403   403       200      403
    PUT     /moderation/projects/{project}/hold                  projects  401     401     401     401   403     401      403   403       200      403
    DELETE  /moderation/projects/{project}/hold                  projects  401     401     401     401   403     401      403   403       404      403
    PUT     /moderation/users/{user}/suspension                  projects  401     401     401     401   403     401      403   403       200      403
    DELETE  /moderation/users/{user}/suspension                  projects  401     401     401     401   403     401      403   403       404      403
    GET     /moderation/log                                      projects  401     401     401     401   403     401      403   403       200      403
    GET     /users/{user}/collections                                      200     200     200     200   200     200      200   200       200      200
    POST    /users/{user}/collections                            projects  401     401     401     401   403     401      403   201       403      403
    GET     /collections/{collection}                                      200     200     200     200   200     200      200   200       200      200
    PATCH   /users/{user}/collections/{collection}               projects  401     401     401     401   403     401      403   200       403      403
    DELETE  /users/{user}/collections/{collection}               projects  401     401     401     401   403     401      403   200       403      403
    PUT     /users/{user}/collections/{collection}/projects/{project} projects  401     401     401     401   403     401      403   200       403      403
    DELETE  /users/{user}/collections/{collection}/projects/{project} projects  401     401     401     401   403     401      403   200       403      403
    GET     /assets/{sha256}                                               200     200     200     200   200     200      200   200       200      200
    GET     /users/{user}/assets                                 projects  401     401     401     401   403     401      403   200       403      403
    PUT     /users/{user}/assets/{sha256}                        projects  401     401     401     401   403     401      403   201       403      403
    POST    /users/{user}/assets/missing                         projects  401     401     401     401   403     401      403   200=      403      403
    PUT     /users/{user}/projects/{project}/thumbnail           projects  401     401     401     401   403     401      403   200       403      403
    POST    /view-project/{project}                              optional  200     401     401     401   200=    401      200   200=      200      200

    POST    /users/{user}/bulk     projects create               projects  401     401     401     401   403     401      403   200       403      403
    POST    /users/{user}/bulk     projects update               projects  401     401     401     401   403     401      403   200       403      403
    POST    /users/{user}/bulk     projects remove               projects  401     401     401     401   403     401      403   200       403      403
    POST    /users/{user}/bulk     pages create                  projects  401     401     401     401   403     401      403   200       403      403
    POST    /users/{user}/bulk     pages update                  projects  401     401     401     401   403     401      403   200       403      403
    POST    /users/{user}/bulk     pages remove                  projects  401     401     401     401   403     401      403   200       403      403
    POST    /users/{user}/bulk     elements create               projects  401     401     401     401   403     401      403   200       403      403
    POST    /users/{user}/bulk     elements update               projects  401     401     401     401   403     401      403   200       403      403
    POST    /users/{user}/bulk     elements remove               projects  401     401     401     401   403     401      403   200       403      403
    POST    /users/me/bulk         projects create               projects  401     401     401     401   403     401      200   200       200      200
    POST    /users/me/bulk         projects update               projects  401     401     401     401   403     401      403   200       403      403
    POST    /users/me/bulk         projects remove               projects  401     401     401     401   403     401      403   200       200      403
    POST    /users/me/bulk         pages create                  projects  401     401     401     401   403     401      403   200       403      403
    POST    /users/me/bulk         pages update                  projects  401     401     401     401   403     401      403   200       403      403
    POST    /users/me/bulk         pages remove                  projects  401     401     401     401   403     401      403   200       200      403
    POST    /users/me/bulk         elements create               projects  401     401     401     401   403     401      403   200       403      403
    POST    /users/me/bulk         elements update               projects  401     401     401     401   403     401      403   200       403      403
    POST    /users/me/bulk         elements remove               projects  401     401     401     401   403     401      403   200       200      403

    GET     /users/me                                            user      401     401     401     401   403     401      200   200       200      403
    PATCH   /users/me                                            user      401     401     401     401   403     401      200   200       200      403
    DELETE  /users/me                                            user      401     401     401     401   403     401      200   200       200      403
    PUT     /users/me/password                                   user      401     401     401     401   403     401      200   200       200      403
    GET     /users/me/projects                                             401     401     401     401   200     401      200   200       200      403
    POST    /users/me/projects                                   projects  401     401     401     401   403     401      201   201       201      201
    GET     /users/me/projects/{project}                                   401     401     401     401   200     401      404   200       404      403
    PATCH   /users/me/projects/{project}                         projects  401     401     401     401   403     401      404   200       404      403
    DELETE  /users/me/projects/{project}                         projects  401     401     401     401   403     401      404   200       404      403
    PATCH   /users/me/projects/{project}/feature                 projects  401     401     401     401   403     401      404   403       404      403
    GET     /users/me/projects/{project}/pages                             401     401     401     401   200     401      404   200       404      403
    POST    /users/me/projects/{project}/pages                   projects  401     401     401     401   403     401      404   201       404      403
    GET     my…/pages/{page}                                                 401     401     401     401   200     401      404   200       404      403
    PATCH   my…/pages/{page}                                       projects  401     401     401     401   403     401      404   200       404      403
    DELETE  my…/pages/{page}                                       projects  401     401     401     401   403     401      404   200       404      403
    GET     my…/pages/{page}/elements                                        401     401     401     401   200     401      404   200       404      403
    POST    my…/pages/{page}/elements                              projects  401     401     401     401   403     401      404   201       404      403
    GET     my…/pages/{page}/elements/{element}                              401     401     401     401   200     401      404   200       404      403
    PATCH   my…/pages/{page}/elements/{element}                    projects  401     401     401     401   403     401      404   200       404      403
    DELETE  my…/pages/{page}/elements/{element}                    projects  401     401     401     401   403     401      404   200       404      403
    GET     /users/me/projects/{project}/remixes                           401     401     401     401   200     401      404   200       404      403
    POST    /users/me/projects/{project}/remixes                 projects  401     401     401     401   403     401      404   201       404      403
    GET     /users/me/projects/{project}/events                            401     401     401     401   200     401      404   200       404      403
    GET     my…/history                                            projects  401     401     401     401   403     401      404   200       404      403
    GET     my…/history/{revision}                                 projects  401     401     401     401   403     401      404   200       404      403
    PUT     my…/history/{revision}/label                           projects  401     401     401     401   403     401      404   200       404      403
    DELETE  my…/history/{revision}/label                           projects  401     401     401     401   403     401      404   200       404      403
    POST    my…/history/{revision}/restore                         projects  401     401     401     401   403     401      404   200=      404      403
    POST    my…/history/{revision}/undo                            projects  401     401     401     401   403     401      404   409       404      403
    GET     my…/changes                                                      401     401     401     401   200     401      404   200       404      403
    GET     my…/lineage                                                      401     401     401     401   200     401      404   200       404      403
    GET     my…/upstream                                                     401     401     401     401   404     401      404   404       404      403
    POST    my…/upstream/pull                                      projects  401     401     401     401   403     401      404   404       404      403
    GET     my…/export                                                       401     401     401     401   200     401      404   200       404      403
    POST    /users/me/imports                                    projects  401     401     401     401   403     401      201   201       201      201
    GET     /users/me/takeout                                    user      401     401     401     401   403     401      200   200       200      403
    GET     my…/members                                            projects  401     401     401     401   403     401      404   200       404      403
    PUT     my…/members/{username}                                 projects  401     401     401     401   403     401      404   200       404      403
    DELETE  my…/members/{username}                                 projects  401     401     401     401   403     401      404   200       404      403
    PUT     my…/presence                                           projects  401     401     401     401   403     401      404   200       404      403
    GET     my…/invitations                                        projects  401     401     401     401   403     401      404   200       404      403
    POST    my…/invitations                                        projects  401     401     401     401   403     401      404   201       404      403
    DELETE  my…/invitations/{invitation}                           projects  401     401     401     401   403     401      404   200       404      403
    GET     /users/me/shared                                     projects  401     401     401     401   403     401      200   200       200      403
    GET     /users/me/collections                                          401     401     401     401   200     401      200   200       200      403
    POST    /users/me/collections                                projects  401     401     401     401   403     401      201   201       201      403
    PATCH   /users/me/collections/{collection}                   projects  401     401     401     401   403     401      404   200       404      403
    DELETE  /users/me/collections/{collection}                   projects  401     401     401     401   403     401      404   200       404      403
    PUT     /users/me/collections/{collection}/projects/{project} projects  401     401     401     401   403     401      404   200       404      403
    DELETE  /users/me/collections/{collection}/projects/{project} projects  401     401     401     401   403     401      404   200       404      403
    GET     /users/me/trash                                      projects  401     401     401     401   403     401      200   200       200      403
    POST    /users/me/trash/{entry}/restore                      projects  401     401     401     401   403     401      404   200       404      403
    DELETE  /users/me/trash/{entry}                              projects  401     401     401     401   403     401      404   200       404      403
    GET     /users/me/assets                                     projects  401     401     401     401   403     401      200   200       200      403
    PUT     /users/me/assets/{sha256}                            projects  401     401     401     401   403     401      201   201       201      403
    POST    /users/me/assets/missing                             projects  401     401     401     401   403     401      200=  200=      200=     403
    PUT     /users/me/projects/{project}/thumbnail               projects  401     401     401     401   403     401      404   200       404      403
`;

/** The rows that differ with another provider. */
const elsewhere = `
    POST    /tokens                                                        404     404     404     404   404     404      404   404       404      404
    GET     /tokens                                                        404     404     404     404   404     404      404   404       404      404
    DELETE  /tokens                                                        404     404     404     404   404     404      404   404       404      404
    DELETE  /tokens/{token}                                                404     404     404     404   404     404      404   404       404      404
    PUT     /users/{user}/password                                         404     404     404     404   404     404      404   404       404      404
    PUT     /users/me/password                                             404     404     404     404   404     404      404   404       404      404
    POST    /users                                               user      401     401     401     401   403     401      200=  200=      200=     201
`;

/** The route's own path, if it has `me`. */
const byId = (path: string): string => path.replace(/^\/users\/me(?=\/|$)/, '/users/{user}');

interface Row {
    method: string;
    path: string;
    action: string;
    scope: string;
    cells: readonly string[];
}

const shape = /^ +([A-Z]+) +(\S+)(?: +((?:projects|pages|elements) (?:create|update|remove)))?(?: +(user|projects|optional))?((?: +\d{3}=?){10})$/;

function rowsOf(table: string): Row[] {
    return table.split('\n').filter((line) => /^ +[A-Z]+ /.test(line)).map((line) => {
        const [, method = '', path = '', action = '', scope = '', cells = ''] = shape.exec(line) ?? [];
        return { method, path: path.replace('my…', '/users/me/projects/{project}').replace('…', '/users/{user}/projects/{project}'), action, scope, cells: cells.trim().split(/ +/) };
    });
}

/** An asset that is there from the start. */
const shown = drawing('<g id="shown"/>');

const local = rowsOf(matrix);
const different = rowsOf(elsewhere);
const ofAnother = local.map((row) => different.find(({ method, path }) => method === row.method && path === row.path) ?? row);

/** The first of the rows with the same answers for the same reason. Both kinds of provider share all code but for what reads a token. */
const alike = (rows: readonly Row[]): Row[] => [...new Map(rows.toReversed().map((row) => [[row.method === 'GET', row.scope, ...row.cells].join(' '), row])).values()].toReversed();

const firstOfAnother = alike(ofAnother);

/**
 * Who tries a row: by default, with another provider, only the caller who has an account and the one who has none, if a row before it has
 * the same answers. Everybody with `CALLERS=all`, as in continuous integration.
 */
const triedBy = (kind: string, row: Row): readonly Caller[] => (kind === 'local' || process.env.CALLERS === 'all' || firstOfAnother.includes(row) ? callers : ['owner', 'newcomer']);

/** A body that each route accepts. */
const bodies: Readonly<Record<string, (target: Target) => object>> = {
    'POST /tokens': ({ username }) => ({ username, password: PASSWORD }),
    'PATCH /users/{user}': () => ({ language: 'fr' }),
    'PUT /users/{user}/password': () => ({ current_password: PASSWORD, password: 'another one' }),
    'POST /users/{user}/projects': () => ({ title: 'New' }),
    'POST /users/{user}/imports': () => projectZip(fileOf({ title: 'New' })),
    'PATCH /users/{user}/projects/{project}': () => ({ title: 'Changed' }),
    'POST /users/{user}/collections': () => ({ title: 'New' }),
    'PATCH /users/{user}/collections/{collection}': () => ({ title: 'Changed' }),
    'POST /users/{user}/projects/{project}/pages': () => ({ x: 1, y: 1 }),
    'PATCH /users/{user}/projects/{project}/pages/{page}': () => ({ x: 5 }),
    'POST /users/{user}/projects/{project}/pages/{page}/elements': () => ({ type: 'image' }),
    'PUT /users/{user}/assets/{sha256}': () => drawing(),
    'POST /users/{user}/assets/missing': () => ({ ids: [] }),
    'PUT /users/{user}/projects/{project}/thumbnail': () => drawing(),
    'PUT /users/{user}/projects/{project}/members/{username}': () => ({ role: 'editor' }),
    'PUT /users/{user}/projects/{project}/presence': () => ({}),
    'POST /users/{user}/projects/{project}/invitations': () => ({ role: 'viewer', uses: 30 }),
    'POST /invitations': ({ code }) => ({ code }),
    'PUT /users/{user}/projects/{project}/history/{revision}/label': () => ({ label: 'Good' }),
    'POST /projects/{project}/reports': () => ({ reason: 'spam' }),
    'PATCH /moderation/reports/{project}': () => ({ state: 'kept', note: 'Fine' }),
    'PUT /moderation/projects/{project}/hold': () => ({ reason: 'Spam' }),
    'PUT /moderation/users/{user}/suspension': () => ({ reason: 'Spam' }),
    'PATCH /users/{user}/projects/{project}/pages/{page}/elements/{element}': () => ({ styles: { top: 1 } })
};

/** A query that a route needs. */
const queries: Readonly<Record<string, string>> = { 'GET /users/{user}/projects/{project}/changes': '?since=0', 'GET /search': '?q=mine' };

const actionData: Readonly<Record<string, (target: Target) => object>> = {
    'projects create': () => ({ title: 'New' }),
    'projects update': ({ project }) => ({ id: project, title: 'Changed' }),
    'projects remove': ({ project }) => ({ id: project }),
    'pages create': ({ project }) => ({ projectId: project, x: 1, y: 1 }),
    'pages update': ({ page }) => ({ id: page, x: 5 }),
    'pages remove': ({ page }) => ({ id: page }),
    'elements create': ({ page }) => ({ pageId: page, type: 'image' }),
    'elements update': ({ element }) => ({ id: element, styles: { top: 1 } }),
    'elements remove': ({ element }) => ({ id: element })
};

function bodyOf({ method, path, action, scope }: Row, target: Target, serial: number): object | undefined {
    if (method === 'POST' && path === '/users') {
        return scope === '' ? { username: `new-${serial}`, password: PASSWORD } : undefined;
    }

    if (action !== '') {
        const [type, verb] = action.split(' ');
        return { actions: [{ type, method: verb, data: actionData[action]?.(target) }] };
    }

    return bodies[`${method} ${byId(path)}`]?.(target);
}

for (const kind of ['local', 'jwt', 'introspection'] as const) {
    lab.experiment(`Who may do what, by tokens of ${kind}`, () => {

        const rows = kind === 'local' ? local : ofAnother;
        let provider: TestProvider | undefined;
        let server: TestServer;
        let cast: Cast;
        let serial = 0;

        lab.before(async () => {
            await build();
            provider = kind === 'local' ? undefined : await startProvider(kind);
            server = await startTestServer(provider && { config: { auth: provider.settings() } });
            cast = new Cast(server, provider);
            const file = join(server.assets.incoming, 'shown');
            await writeFile(file, shown);
            await server.assets.put(hashOf(shown), file, 'image/svg+xml');
            await server.database.db('assets').insert({ hash: hashOf(shown), type: 'image/svg+xml', size: shown.length });
        });

        lab.after(async () => {
            await server.stop();
            await provider?.stop();
        });

        lab.test('the matrix has every route', () => {
            const routes = server.server.table().filter(({ method, settings }) => method !== '*' && !settings.isInternal).map(({ method, path }) => `${method.toUpperCase()} ${path}`);
            const named = new Set(rows.map(({ method, path }) => `${method} ${byId(path)}`.replace('pt-BR', '{language}').replace('tagged/art', 'tagged/{tag}')));
            expect([...named].sort()).to.equal(routes.sort());
        });

        lab.test('the matrix has every path with a user also with `me`', () => {
            const paths = (some: readonly Row[]): string[] => [...new Set(some.map(({ method, path }) => `${method} ${byId(path)}`))].sort();
            expect(paths(rows.filter(({ path }) => path !== byId(path)))).to.equal(paths(rows.filter(({ path }) => path.startsWith('/users/{user}'))));
        });

        for (const row of kind === 'introspection' ? firstOfAnother : rows) {
            lab.test(`${row.method} ${row.path} ${row.action}`, { timeout: 30_000 }, async () => {
                // The test compares everything that is stored, so it is kept small. To truncate many small tables takes twenty times as long.
                await server.database.db.raw('delete from users');
                const cells = [];
                const tried = triedBy(kind, row);
                for (const [index, caller] of callers.entries()) {
                    if (tried.includes(caller) && (caller !== 'newcomer' || kind !== 'local')) {
                        const target = await cast.target();
                        const { authorization } = await cast.caller(caller, target, row.scope === 'user' ? 'user' : 'projects');
                        cells.push({ caller, cell: row.cells[index] ?? '', target, authorization });
                    }
                }

                let before = await stored(server);
                /** what was sent since, and must not have stored anything */
                let harmless: string[] = [];
                const hasNotChanged = async (): Promise<void> => {
                    expect(await stored(server), `stored something: ${harmless.join('\n')}`).to.equal(before);
                    harmless = [];
                };

                for (const { caller, cell, target, authorization } of cells) {
                    const writes = row.method !== 'GET' && cell.startsWith('2') && !cell.endsWith('=');
                    if (writes && harmless.length > 0) {
                        await hasNotChanged();
                    }

                    const ids: Readonly<Record<string, string>> = { ...target, username: target.member, sha256: hashOf(row.method === 'GET' ? shown : drawing()), file: 'render.js', version };
                    const url = row.path.replace(/\{(\w+)\}/g, (_match, name: string) => ids[name] ?? '') + (queries[`${row.method} ${byId(row.path)}`] ?? '');
                    const body = bodyOf(row, target, ++serial);
                    const type = row.path.endsWith('/imports') ? 'application/zip' : 'image/svg+xml';
                    const headers = { ...Buffer.isBuffer(body) && { 'content-type': type }, ...authorization !== undefined && { authorization } };
                    const answer = await server.call(row.method, url, body, { headers });

                    const what = `${row.method} ${url} ${row.action} as ${caller}: ${answer.text.slice(0, 300)}`;
                    expect(String(answer.status), what).to.equal(cell.slice(0, 3));
                    if (writes) {
                        const after = await stored(server);
                        expect(after, `${what}; stored nothing`).to.not.equal(before);
                        before = after;
                    }
                    else {
                        harmless.push(what);
                    }

                    if (cell.startsWith('4')) {
                        const code = different.includes(row) && cell === '404' ? 'not_local' : codeOf(cell, caller, row);
                        expect(answer.body, what).to.include({ statusCode: answer.status, request_id: answer.headers['x-request-id'], code });
                        expect(answer.headers['www-authenticate'], what).to.equal(challengeOf(cell, caller, row.scope));
                        expect(answer.body.action, what).to.equal(row.path === '/users/me/bulk' && code === 'forbidden' ? 0 : undefined);
                    }
                }

                await hasNotChanged();
                expect(server.faults).to.equal([]);
            });
        }
    });
}

function codeOf(cell: string, caller: string, { path }: Row): string {
    switch (cell) {
        case '401':
            return 'invalid_token';
        case '404':
            // The project is no remix.
            return path.includes('/upstream') && !(path.startsWith('/users/me') && (caller === 'stranger' || caller === 'moderator')) ? 'source_unavailable' : 'not_found';
        case '409':
            return path === '/invitations' ? 'owner_is_no_member' : 'not_undoable';
        default:
            return caller === 'scope' ? 'insufficient_scope' : caller === 'newcomer' && path !== '/users/me/bulk' ? 'no_account' : 'forbidden';
    }
}

/** RFC 6750 section 3 */
function challengeOf(cell: string, caller: string, scope: string): string | undefined {
    if (cell === '401') {
        return `Bearer realm="pagewright"${caller === 'none' ? '' : ', error="invalid_token"'}`;
    }

    return caller === 'scope' && cell === '403' ? `Bearer realm="pagewright", error="insufficient_scope", scope="${scope}"` : undefined;
}
