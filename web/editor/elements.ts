/** Types whose text is edited on the page. */
export const hasWords = new Set(['text', 'link', 'button']);

/** Types with an `alt` text, for who cannot see or hear them. */
export const hasAlt = new Set(['image', 'sound', 'video', 'shape']);

/** Types that keep the ratio of their sides. */
export const keepsShape = new Set(['image', 'video']);

export const buttonLook = { width: 200, fontSize: 18, padding: 10, borderRadius: 12, backgroundColor: '#ffe08a', color: '#3a2c00', textAlign: 'center' };

/** The actions of a button, each with the type of element that has it. */
export const buttonActions = { leads: 'link', shows: 'button', plays: 'sound' } as const;

export type ButtonAction = keyof typeof buttonActions;

export const buttonActionNames = ['leads', 'shows', 'plays'] as const satisfies readonly ButtonAction[];

/** The action of an element that is a button. */
export const actionOf = (type: string): ButtonAction | undefined => buttonActionNames.find((name) => buttonActions[name] === type);

/** The fields of a new element, as far as they do not depend on the page. The texts `editor.type_…` and `editor.new_…` have the same names. */
export const forms = {
    text: { attributes: {}, styles: { width: 280, fontSize: 20 } },
    link: { attributes: {}, styles: { ...buttonLook, textDecoration: 'none' } },
    button: { attributes: { reveals: '' }, styles: buttonLook },
    rectangle: { attributes: { shape: 'rectangle' }, styles: { width: 120, height: 80, backgroundColor: '#f2a65a' } },
    ellipse: { attributes: { shape: 'ellipse' }, styles: { width: 100, height: 100, backgroundColor: '#6fb98f' } },
    triangle: { attributes: { shape: 'triangle' }, styles: { width: 110, height: 95, backgroundColor: '#5b8def' } }
} as const;

export type Form = keyof typeof forms;

/** The forms in the menu of shapes. */
export const shapes = ['rectangle', 'ellipse', 'triangle'] as const;
