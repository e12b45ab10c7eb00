import { createHash } from 'node:crypto';
import { dirname, relative } from 'node:path/posix';

import { usernameKey } from '../../api/representations/username';
import { defined } from '../../api/errors/defined';

/*
 * The names of the files of an archive: lower-case letters of ASCII, digits, "-", "_" and one dot, so that they are the same on every file system, and no folder
 * has more than some thousand files. What people are called, and tags, may be anything, so their files have a hash as their name.
 */

const hashed = (folder: string, name: string): string => createHash('sha256').update(name).digest('hex').replace(/^(..)(.{14}).*/, `${folder}/$1/$2`);

/** Ids of a thousand are in one folder. */
const numbered = (folder: string, id: string): string => `${folder}/${id.slice(0, -3) || '0'}/${id}`;

/** The file of a project, without its ending. */
export const projectFile = (id: string): string => numbered('p', id);

/** The file of each kind of page that has a name in its address, without its ending. */
const named: Readonly<Record<string, (name: string) => string>> = {
    p: projectFile,
    c: (id) => numbered('c', id),
    u: (username) => hashed('u', usernameKey(username)),
    tags: (tag) => hashed('tags', tag),
    // Some languages are called as Windows calls its devices, such as `con`.
    languages: (language) => `languages/in-${language}`,
    browse: (list) => `browse/${list}`
};

/** The file of an address of the site; that of the first page if it is none. Further pages of a list have `?after=` and their number. */
export function fileOf(address: string): string {
    const [, kind = '', name = '', number] = /^\/([a-z]*)(?:\/([^/?]+))?(?:\?after=(\d+))?$/.exec(address) ?? [];
    const base = name === '' ? kind || 'index' : defined(named[kind])(decodeURIComponent(name));
    return `${base}${number === undefined ? '' : `-${number}`}.html`;
}

/** The address of one file in another one. */
export const between = (from: string, to: string): string => relative(dirname(from), to);
