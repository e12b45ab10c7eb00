import { expect } from '@hapi/code';

import type { Cast } from './cast';
import type { Actor, TestServer } from './server';

/** What somebody is in a class of a managed pupil, or was. Those who are `elsewhere` attend another class of the second teacher, and who is `dismissed` may not teach any more. */
export const roles = ['elsewhere', 'formerPupil', 'formerTeacher', 'dismissed', 'classmate', 'coTeacher', 'teacher'] as const;
export type Role = typeof roles[number];

/** Those for whom the class does not exist. */
export const outside: readonly Role[] = ['elsewhere', 'formerPupil', 'formerTeacher', 'dismissed'];

export interface ClassCast {
    /** of the class */
    id: string;
    people: Record<Role, Actor>;
    pupil: Actor;
    moderator: Actor;
}

/** A class, and somebody for each role. @param whileAllAreThere what happens before some of them go */
export async function castOfClass(server: TestServer, cast: Cast, whileAllAreThere: (made: ClassCast) => Promise<void>): Promise<ClassCast> {
    const call = async (who: Actor, method: string, url: string, body: object, status = 200): ReturnType<TestServer['call']> => {
        const answer = await server.call(method, url, body, { token: who.token });
        expect(answer.status, answer.text).to.equal(status);
        return answer;
    };

    const people = {
        elsewhere: await cast.actor(), formerPupil: await cast.actor(), formerTeacher: await cast.actor(), dismissed: await cast.actor(), classmate: await cast.actor(), coTeacher: await cast.actor(), teacher: await cast.actor()
    };
    const moderator = await cast.actor('moderator');
    const { teacher, coTeacher, formerTeacher, dismissed, formerPupil, classmate, elsewhere } = people;
    await server.database.db.raw('update users set teacher = true where id = any(?)', [[teacher, coTeacher, formerTeacher, dismissed].map((one) => one.id)]);
    const mine = (await call(teacher, 'POST', '/users/me/classes', { title: 'Secret-of-class' }, 201)).body;
    const other = (await call(coTeacher, 'POST', '/users/me/classes', { title: 'Elsewhere' }, 201)).body;
    const url = `/classes/${mine.class.id}`;
    await call(elsewhere, 'POST', '/classes', { code: other.code });
    for (const who of [formerPupil, classmate]) {
        await call(who, 'POST', '/classes', { code: mine.code });
    }

    for (const who of [coTeacher, formerTeacher, dismissed]) {
        await call(teacher, 'PUT', `${url}/teachers/${who.username}`, {}, 201);
    }

    const { body: { pupils: [enrolled] } } = await call(teacher, 'POST', `${url}/pupils`, { names: ['Secret-of-pupil'] }, 201);
    const pupil = { ...enrolled.user, token: await cast.token(enrolled.user.id) };
    const made = { id: mine.class.id, people, pupil, moderator };
    await whileAllAreThere(made);
    await call(teacher, 'DELETE', `${url}/pupils/${formerPupil.id}`, {});
    await call(teacher, 'DELETE', `${url}/teachers/${formerTeacher.username}`, {});
    await call(moderator, 'DELETE', `/moderation/users/${dismissed.id}/teacher`, {});
    return made;
}
