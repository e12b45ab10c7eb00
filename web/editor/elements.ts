/** Types whose text is edited on the page. */
export const hasWords = new Set(['text', 'link', 'button']);

/** Types with an `alt` text, for who cannot see or hear them. */
export const hasAlt = new Set(['image', 'sound', 'video', 'shape']);

/** Types that keep the ratio of their sides. */
export const keepsShape = new Set(['image', 'video']);

/** The fields of a new element, as far as they do not depend on the page. The texts `editor.type_…` and `editor.new_…` have the same names. */
export const forms = {
    text: { attributes: {}, styles: { width: 280, fontSize: 20 } },
    link: { attributes: {}, styles: { width: 280, fontSize: 18, color: '#1c5fc4' } },
    button: { attributes: { reveals: '' }, styles: { width: 200, fontSize: 18, padding: 10, borderRadius: 12, backgroundColor: '#ffe08a', color: '#3a2c00', textAlign: 'center' } },
    rectangle: { attributes: { shape: 'rectangle' }, styles: { width: 120, height: 80, backgroundColor: '#f2a65a' } },
    ellipse: { attributes: { shape: 'ellipse' }, styles: { width: 100, height: 100, backgroundColor: '#6fb98f' } },
    triangle: { attributes: { shape: 'triangle' }, styles: { width: 110, height: 95, backgroundColor: '#5b8def' } }
} as const;

export type Form = keyof typeof forms;

/** The forms with a button of their own, which has the picture of that name (icons.tsx), and those in the menu of shapes. */
export const tools = ['text', 'link', 'button'] as const;
export const shapes = ['rectangle', 'ellipse', 'triangle'] as const;
