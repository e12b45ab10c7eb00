import type { Client } from '../../client/src/index.js';

/** The address of a picture on this device, which only whoever has sent it may see; undefined if that is somebody else, or it is gone. */
export async function readOwnPicture(hash: string, { session }: Client): Promise<string | undefined> {
    const response = session === null ? undefined : await fetch(`/assets/${hash}`, { headers: { Authorization: `token ${session.token}` } });
    return response?.ok === true ? URL.createObjectURL(await response.blob()) : undefined;
}
