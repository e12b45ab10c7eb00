/** Shows a page that did not come with the HTML. */
export function showLatePage(): void {
    const sheet = document.querySelector<HTMLElement>('.sheet[data-late]');
    if (sheet !== null) {
        void import('./late-sheet.js').then(({ showLate }) => showLate(sheet));
    }
}
