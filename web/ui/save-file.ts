/** Offers a response as a file to save. @throws what reading it throws, as when the connection breaks */
export async function saveFile(response: Response, name: string): Promise<void> {
    const address = URL.createObjectURL(await response.blob());
    const link = document.createElement('a');
    link.href = address;
    link.download = name;
    link.click();
    // The browser has to begin to read it first.
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/** A title as the name of a file: without what file systems do not take. */
export const fileName = (title: string): string => title.replace(/[\p{C}\p{Z}/\\:*?"<>|.]+/gu, '-').replace(/^-|-$/g, '').slice(0, 60) || 'project';
