import { call, listAt, textAt } from './calls';

import type { MadeProject } from './actions';
import type { Send } from './calls';
import type { ClassSeed } from './pieces';

/** How somebody signs in. */
interface SignIn {
    username: string;
    password: string;
}

interface Person {
    id: string;
    token: string;
}

/**
 * Makes a class with its people, an assignment and works.
 * @param account finds somebody of the community by username
 * @param project finds a project by its key
 * @returns how the pupils sign in whose accounts the class has made
 */
export const makeClass = async function (send: Send, one: ClassSeed, account: (username: string) => Person, project: (key: string) => MadeProject): Promise<SignIn[]> {
    const { token } = account(one.teacher);
    const made = await call(send, 'POST', '/users/me/classes', { title: one.title, publish: 'class' }, token);
    const path = `/classes/${textAt(made, 'class.id')}`;
    const pupils = new Map<string, Person>();
    for (const username of one.joins) {
        const pupil = account(username);
        pupils.set(username, pupil);
        await call(send, 'POST', '/classes', { code: textAt(made, 'code') }, pupil.token);
    }

    const signIns: SignIn[] = [];
    for (const pupil of listAt(await call(send, 'POST', `${path}/pupils`, { names: one.names }, token), 'pupils')) {
        const signIn = { username: textAt(pupil, 'user.username'), password: textAt(pupil, 'passphrase') };
        signIns.push(signIn);
        pupils.set(textAt(pupil, 'name'), { id: textAt(pupil, 'user.id'), token: textAt(await call(send, 'POST', '/tokens', signIn), 'token.access_token') });
    }

    for (const { project: key, by } of one.shown) {
        const { id, userId } = project(key);
        await call(send, 'PUT', `/users/${userId}/projects/${id}${path}`, { audience: 'class' }, account(by).token);
    }

    const { title, text, template } = one.assignment;
    const assignment = await call(send, 'POST', `${path}/assignments`, { title, text, template: project(template).id }, token);
    const works = `${path}/assignments/${textAt(assignment, 'assignment.id')}/work`;
    for (const work of one.works) {
        const pupil = pupils.get(work.by);
        if (pupil === undefined) {
            throw new Error(`The class has no pupil “${work.by}”`);
        }

        const begun = await call(send, 'POST', works, {}, pupil.token);
        const workPath = `${works}/${textAt(begun, 'work.id')}`;
        await call(send, 'PATCH', `/users/${pupil.id}/projects/${textAt(begun, 'work.project_id')}`, { title: work.title }, pupil.token);
        if (work.isHandedIn) {
            await call(send, 'PATCH', workPath, { state: 'handed_in' }, pupil.token);
        }

        if (work.note !== undefined) {
            await call(send, 'PATCH', workPath, { state: 'returned', note: work.note }, token);
        }
    }

    return signIns;
};
