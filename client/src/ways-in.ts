import type { Api, CallOptions } from './api.js';
import type { Class, ClassDevice, PictureName, Pupil } from './things.js';

/** The changes of a pupil. */
export interface PupilChanges {
    name?: string;
    passphrase?: true;
    pictures?: boolean;
}

/** A pupil who was changed, with what is shown once. */
export interface UpdatedPupil {
    pupil: Pupil;
    passphrase?: string;
    pictures?: PictureName[];
}

/** A device that was prepared, with its secret. */
export interface PreparedDevice {
    device: ClassDevice;
    class: Pick<Class, 'id' | 'title'>;
    secret: string;
}

/** Who can sign in on a device. */
export interface NamesOnDevice {
    class: Pick<Class, 'id' | 'title'>;
    pupils: { id: string; name: string | null }[];
}

/** How pupils sign in whose accounts a class manages: their pass-phrases, pictures, and the devices for these. */
export interface PupilWaysIn {
    /**
     * Changes the name of a pupil, makes a new pass-phrase, or gives new pictures (true) or none (false).
     * @returns `passphrase` and `pictures` if there are new ones
     * @throws PagewrightError 409 `pictures_off` if the class has no `picture_sign_in`
     */
    updatePupil(one: Pick<Class, 'id'>, pupil: string, changes: PupilChanges, options?: CallOptions): Promise<UpdatedPupil>;

    /** The devices on which pupils sign in with pictures, and the codes that can still be used. As a teacher. */
    devices(one: Pick<Class, 'id'>, options?: CallOptions): Promise<ClassDevice[]>;

    /**
     * Makes a code that prepares a device, once, within 15 minutes. As a teacher.
     * @throws PagewrightError 409 `pictures_off`, `class_device_limit`
     */
    addDevice(one: Pick<Class, 'id'>, options?: CallOptions): Promise<{ device: ClassDevice; code: string }>;

    /** Ends a device, and what was signed in there. As a teacher. */
    removeDevice(one: Pick<Class, 'id'>, device: Pick<ClassDevice, 'id'>, options?: CallOptions): Promise<void>;

    /**
     * Prepares this device with a code of a teacher. Nobody has to be signed in.
     * @returns the secret to keep
     * @throws PagewrightError 404 if the code was used
     */
    prepare(code: string, label?: string, options?: CallOptions): Promise<PreparedDevice>;

    /** The names of who can sign in on a prepared device. Nobody has to be signed in. @throws PagewrightError 404 if it was ended */
    namesOn(secret: string, options?: CallOptions): Promise<NamesOnDevice>;
}

export function waysInOf(api: Api): PupilWaysIn {
    return {
        updatePupil: async ({ id }, pupil, body, options) => {
            const params = { path: { class_id: id, pupil } };
            const { status: _status, ...changed } = (await api.PATCH('/classes/{class_id}/pupils/{pupil}', { params, body, ...options })).data;
            return changed;
        },

        devices: async ({ id }, options) => {
            return (await api.GET('/classes/{class_id}/devices', { params: { path: { class_id: id } }, ...options })).data.devices;
        },

        addDevice: async ({ id }, options) => {
            const params = { path: { class_id: id } };
            const { device, code } = (await api.POST('/classes/{class_id}/devices', { params, ...options })).data;
            return { device, code };
        },

        removeDevice: async ({ id }, { id: device }, options) => {
            await api.DELETE('/classes/{class_id}/devices/{device}', { params: { path: { class_id: id, device } }, ...options });
        },

        prepare: async (code, label, options) => {
            const body = { code, ...label !== undefined && { label } };
            const { status: _status, ...made } = (await api.POST('/class-devices', { body, ...options })).data;
            return made;
        },

        namesOn: async (device, options) => {
            const { class: one, pupils } = (await api.POST('/class-devices/pupils', { body: { device }, ...options })).data;
            return { class: one, pupils };
        }
    };
}
