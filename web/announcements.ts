/**
 * The script of the announcements. It stands right after them and runs before anything below is drawn, so what is there does not move when it takes away
 * those that were dismissed in this tab. Because it is no module, it imports nothing, and keeps its names in a block.
 */
{
    /** Milliseconds after which screen readers are told: before that they read out the page itself. */
    const SOON = 1000;

    const box = document.querySelector('.announcements');

    /** Ids of announcements that this tab has noted. */
    const kept = (name: string): string[] => {
        try {
            return (sessionStorage.getItem(`pagewright ${name}`) ?? '').split(' ').filter((id) => id !== '');
        }
        catch {
            // The browser keeps nothing for this page.
            return [];
        }
    };

    const keep = (name: string, ids: readonly string[]): void => {
        try {
            sessionStorage.setItem(`pagewright ${name}`, [...new Set([...kept(name), ...ids])].join(' '));
        }
        catch {
            // It is shown again on the next page.
        }
    };

    const shown = (): HTMLElement[] => [...box?.querySelectorAll<HTMLElement>('.announcement') ?? []];

    const take = (one: HTMLElement): void => {
        one.remove();
        if (shown().length === 0) {
            box?.remove();
        }
    };

    const dismissed = kept('dismissed');
    for (const one of shown()) {
        const { id = '', until = '' } = one.dataset;
        const button = one.querySelector('button');
        // A page that was kept for a time without a network may be older than its end.
        if (dismissed.includes(id) || Date.parse(until) <= Date.now()) {
            take(one);
        }
        else if (button !== null) {
            button.hidden = false;
            button.addEventListener('click', () => {
                keep('dismissed', [id]);
                take(one);
                (box?.querySelector('button') ?? document.querySelector<HTMLElement>('#content[tabindex]'))?.focus();
            });
        }
    }

    box?.classList.add('sorted');

    // Once in each tab.
    const told = kept('told');
    const news = shown().filter(({ dataset: { id = '' } }) => !told.includes(id));
    const status = box?.querySelector('[role="status"]');
    if (news.length > 0 && status) {
        setTimeout(() => {
            status.textContent = news.map((one) => one.querySelector('p')?.textContent).join(' ');
            keep('told', news.map(({ dataset: { id = '' } }) => id));
        }, SOON);
    }
}
