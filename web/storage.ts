/** Whether the browser lets pages keep anything: if it blocks all cookies, to look at `localStorage` is an error. */
export function canStore(): boolean {
    try {
        return localStorage.length >= 0;
    }
    catch {
        return false;
    }
}
