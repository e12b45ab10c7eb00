/** Attributes that Swagger UI's elements lack, by selector; null removes one. */
const attributes: Readonly<Record<string, Readonly<Record<string, string | null>>>> = {
    '.information-container > section': { 'aria-label': 'About' },
    '.opblock-section-request-body input[type="file"]': { 'aria-label': 'Body of the request' },
    '.body-param__text': { 'aria-label': 'Body of the request' },
    '.examples-select-element': { 'aria-label': 'Example' },
    '.microlight': { tabindex: '0' },
    '.responses-table': { role: null },
    '.parameters-col_description :is(input, select)': { 'aria-label': 'Value of the parameter' },
    '.json-schema-2020-12-accordion:has(> .json-schema-2020-12-accordion__children:empty)': { 'aria-label': 'Schema' },
    '.close-modal': { 'aria-label': 'Close' },
    '.modal-ux': { 'role': 'dialog', 'aria-modal': 'true', 'aria-label': 'Authorize' },
    // After the heading of all operations come those of groups, but not here.
    '.models h4': { 'role': 'heading', 'aria-level': '2' },
    '.webhooks .opblock h4': { 'role': 'heading', 'aria-level': '3' },
    '.webhooks .opblock h5': { 'role': 'heading', 'aria-level': '4' },
    '.auth-container h4': { 'role': 'heading', 'aria-level': '3' },
    '.modal-ux-header > h3': { 'role': 'heading', 'aria-level': '2' },
    '.auth-btn-wrapper .authorize': { 'aria-label': null }
};

/** Gives the elements in the viewer what readers of the screen and users of the keyboard need, as soon as they are there. */
function complete(): void {
    for (const [selector, wanted] of Object.entries(attributes)) {
        for (const element of document.querySelectorAll(`#viewer ${selector}`)) {
            for (const [name, value] of Object.entries(wanted)) {
                if (value === null) {
                    element.removeAttribute(name);
                }
                else {
                    element.setAttribute(name, value);
                }
            }
        }
    }
}

/** Keeps them complete, whatever is drawn. */
export const keepComplete = (): void => new MutationObserver(complete).observe(document.body, { childList: true, subtree: true });
