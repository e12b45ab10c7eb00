import { isObject } from '../src/api/json/is-object';
import { canStore } from './storage';

/** A class whose pupils sign in with pictures on this device, as a teacher has prepared it. */
export interface PreparedClass {
    id: string;
    title: string;
    /** of the device: without it, the pictures are of no use */
    secret: string;
}

/** Not one of the keys of a person, which go when somebody signs out (offline/device.ts). */
const KEY = 'pagewright-pictures';

const isPrepared = (value: unknown): value is PreparedClass => {
    return isObject(value) && ['id', 'title', 'secret'].every((name) => typeof value[name] === 'string');
};

/** The classes for which this device is prepared. */
export function preparedClasses(): PreparedClass[] {
    try {
        const kept: unknown = JSON.parse(canStore() ? localStorage.getItem(KEY) ?? '[]' : '[]');
        return Array.isArray(kept) ? kept.filter(isPrepared) : [];
    }
    catch {
        return [];
    }
}

export const preparedFor = (classId: string): PreparedClass | undefined => preparedClasses().find(({ id }) => id === classId);

const keep = (all: readonly PreparedClass[]): void => localStorage.setItem(KEY, JSON.stringify(all));

const others = (classId: string): PreparedClass[] => preparedClasses().filter(({ id }) => id !== classId);

/** Forgets that this device is prepared for a class. */
export const forgetPrepared = (classId: string): void => keep(others(classId));

export const keepPrepared = (one: PreparedClass): void => keep([...others(one.id), one]);
