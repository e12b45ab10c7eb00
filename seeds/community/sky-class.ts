import type { ClassSeed } from '../pieces';

/** A class with accounts that it has made, somebody who has joined it, an assignment, and works that are at different points. */
export const skyClass: ClassSeed = {
    title: 'Sky watchers, Tuesdays',
    teacher: 'meera',
    names: ['Ines', 'Tom', 'Zara'],
    joins: ['juniper'],
    shown: [{ project: 'harbour', by: 'juniper' }],
    assignment: {
        title: 'Explain something in the sky',
        text: 'Begin with my project about the Moon. Keep what helps you, change what does not, and explain something else: an eclipse, a shooting star, a rainbow.',
        template: 'moon'
    },
    works: [
        { by: 'Ines', title: 'What happens in an eclipse', isHandedIn: true, note: 'Clear from the first page on. Where would you have to stand to see it?' },
        { by: 'Tom', title: 'Shooting stars are not stars', isHandedIn: true },
        { by: 'juniper', title: 'A rainbow is a circle', isHandedIn: false }
    ]
};
