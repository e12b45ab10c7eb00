import { client } from '../session.js';

/** Most pictures that are loaded beforehand, and their width in pixels. */
const MOST = 40;
const WIDTH = 640;

/** Asks for all pages of a project, and for the pictures in them, so that this device keeps copies. */
export async function loadWhole(id: string): Promise<void> {
    const { projects } = client();
    const pages = await projects.pages(await projects.get(id));
    const sources = pages.flatMap(({ elements }) => elements.filter(({ type }) => type === 'image').map(({ attributes: { src } }) => /^asset:([0-9a-f]{64})$/.exec(String(src))?.[1]));
    for (const hash of [...new Set(sources.filter((one) => one !== undefined))].slice(0, MOST)) {
        await fetch(`/assets/${hash}?width=${WIDTH}`);
    }
}
