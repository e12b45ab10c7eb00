import { operations } from '../../api/description/operation';
import { guarded } from '../../api/errors/registry';
import { projectClass, pupil } from '../json';
import { bodyOf } from '../../api/representations/shapes';
import { forTeachers } from '../docs';

export const orderOperation = operations('Classes', {
    showClassProject: {
        summary: 'Show a project to a class, or hide it',
        notes: `Hiding takes effect at once: pupils no longer read the project because it is in the class, and it is not in their list. The author reads why, with \`GET /users/{user}/projects/{project}/classes\`, and keeps the project. It stays hidden if the author takes it out and puts it in again. In a class that shows projects \`after a look\`, \`shown\` is that look. ${forTeachers}`,
        answers: { 200: bodyOf('updated', { class: projectClass }) },
        errors: guarded
    },
    pausePupil: {
        summary: 'Pause a pupil',
        notes: `Until that time the pupil can sign in and read, but changes nothing anywhere: 403 \`paused\`. A pupil whose account the class does not manage can leave the class, which ends the pause. Sent again, the time replaces the one before. ${forTeachers}`,
        answers: { 200: bodyOf('updated', { pupil }) },
        errors: guarded
    },
    unpausePupil: {
        summary: 'End the pause of a pupil',
        notes: `It takes effect at once. If the pupil is not paused, nothing changes. ${forTeachers}`,
        answers: { 200: bodyOf('deleted', { pupil }) },
        errors: guarded
    }
});
