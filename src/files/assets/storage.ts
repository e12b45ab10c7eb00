import type { Readable } from 'node:stream';


/** A part of some bytes, both ends included, counted from 0. */
export interface ByteRange {
    start: number;
    end: number;
}

/** Thrown where there are no bytes of this name. */
export class NoSuchBytes extends Error {
    constructor(name: string) {
        super(`There are no bytes named ${name}`);
        this.name = 'NoSuchBytes';
    }
}

/**
 * Where the bytes of assets are: a folder (folder-storage.ts) or a bucket (s3-storage.ts). A name is the SHA-256 of an asset in hex, or
 * that with a size for a scaled picture (`nameOf`). Bytes of one name never change, so putting them twice is the same as once.
 */
export interface AssetStorage {
    /** A folder of this machine for files that are on their way in. What is left there by a crash is removed by `tidy`. */
    readonly incoming: string;
    /**
     * Stores a file of `incoming` under a name. It is safe on the disk, or in the bucket, when the promise resolves, and the file may be
     * gone. After a power cut before that, there may be other bytes under the name, unless the file was on the disk (`syncFile`).
     */
    put(name: string, file: string, type: string): Promise<void>;
    /** @throws NoSuchBytes */
    open(name: string, range?: ByteRange): Promise<Readable>;
    /** How many bytes there are; undefined if there are none of this name. */
    size(name: string): Promise<number | undefined>;
    /** It is no error if there are none. */
    remove(name: string): Promise<void>;
    /** The names of all bytes that are older than so many milliseconds, in order, some at a time. */
    list(olderThan: number): AsyncIterable<string[]>;
    /** The id of the database that it belongs to; undefined if it belongs to none yet. */
    owner(): Promise<string | undefined>;
    /** Notes the id of the database that it belongs to. */
    setOwner(database: string): Promise<void>;
    /** Removes what a crash left in `incoming`, if it is older than so many milliseconds. */
    tidy(olderThan: number): Promise<void>;
    /** Makes what it needs. To be called once, before all else. @throws Error if it cannot be used */
    prepare(): Promise<void>;
    close(): void;
}

/** The name of the file or object that has the id of the database that it belongs to. */
export const OWNER = 'database';

/** SHA-256 in hex, as it is in paths and in references. */
export const hashPattern = /^[0-9a-f]{64}$/;

/** Widths in pixels that a picture is scaled to. */
export const WIDTHS = [64, 160, 320, 640, 1280] as const;

export type Width = (typeof WIDTHS)[number];

/** A picture for links in messages: a JPEG of just this size, with the picture in its middle. */
export const POSTER = { width: 640, height: 960, size: '640x960' } as const;

/** Sizes of scaled pictures: a width, its upper part in the shape that lists of older clients have room for, or a poster. */
const SIZES = [...WIDTHS, '320x198', POSTER.size] as const;

export type Size = (typeof SIZES)[number];

/** The type of a picture of this size. */
export const typeOfSize = (size: Size): 'image/jpeg' | 'image/webp' => (size === POSTER.size ? 'image/jpeg' : 'image/webp');

/** The name of an asset's bytes, or of its picture of this size. */
export const storedName = (hash: string, size?: Size): string => (size === undefined ? hash : `${hash}-${size}`);

/** All names that an asset can have bytes under. */
export const storedNames = (hash: string): string[] => [storedName(hash), ...SIZES.map((size) => storedName(hash, size))];

/** The asset that bytes of this name belong to. */
export const hashOf = (name: string): string => name.slice(0, 64);

/** Whether something can be a name: nothing else in the folder or bucket is touched. */
export const isName = (name: string): boolean => hashPattern.test(hashOf(name)) && storedNames(hashOf(name)).includes(name);
