import { signedIn } from '../../accounts/tokens/json';
import { operations } from '../../api/description/operation';
import { guarded } from '../../api/errors/registry';
import { bodyOf } from '../../api/representations/shapes';
import { MAX_CLASS_DEVICES } from '../../limits';
import { forTeachers } from '../docs';
import { device, deviceCode, deviceList, namesShown, prepared } from './json';

export const pictureOperation = operations('Classes', {
    createClassDevice: {
        summary: 'Make a code that prepares a device',
        notes: `With the code, a device is prepared once (\`POST /class-devices\`): then pupils who have pictures sign in there.
The class needs \`picture_sign_in\`. It has at most ${MAX_CLASS_DEVICES} devices, with the codes that can still be used. ${forTeachers}`,
        answers: { 201: bodyOf('created', { device, code: deviceCode }) },
        errors: [...guarded, 'class_device_limit', 'not_local', 'pictures_off']
    },
    listClassDevices: {
        summary: 'List the prepared devices of a class',
        notes: `With the codes that can still be used, which are not shown again. ${forTeachers}`,
        answers: { 200: deviceList },
        errors: guarded
    },
    deleteClassDevice: {
        summary: 'End a prepared device of a class',
        notes: `What was signed in there with pictures ends at once, too. ${forTeachers}`,
        answers: { 200: bodyOf('deleted', { device }) },
        errors: guarded
    },
    prepareDevice: {
        summary: 'Prepare a device',
        notes: 'Uses up the code of a teacher. The response has the secret of the device, which it keeps.',
        answers: { 201: prepared },
        errors: ['not_found', 'not_local']
    },
    listNamesOnDevice: {
        summary: 'List who can sign in on a prepared device',
        notes: 'Names of pupils of its class, of those who have pictures. Without a prepared device nobody sees them; one that was ended is 404.',
        answers: { 200: namesShown },
        errors: ['not_found', 'not_local']
    },
    createTokenByPictures: {
        summary: 'Sign in with pictures',
        notes: `Creates a token as \`POST /tokens\` does, on a prepared device, for an account that the class manages. It ends with the pictures, and
with the device. While the pupil is paused it is 403 \`paused\`. The error is the same for a device, a pupil and pictures that are wrong.`,
        answers: { 201: signedIn },
        errors: ['wrong_credentials', 'paused', 'not_local']
    }
});
