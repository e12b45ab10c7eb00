/** How many notices are unread, as the tabs of a browser tell each other. */

const KEY = 'pagewright unread';

/** @param user whose notices they are */
export function tellUnread(user: string, count: number): void {
    localStorage.setItem(KEY, `${user} ${count}`);
    // `storage` is for the other tabs alone.
    dispatchEvent(new Event('pagewright:unread'));
}

/** The number that was told last; 0 for somebody else. */
export function unreadOf(user: string): number {
    const [of, count] = (localStorage.getItem(KEY) ?? '').split(' ');
    return of === user ? Number(count) : 0;
}
