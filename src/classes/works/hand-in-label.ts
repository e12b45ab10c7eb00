/*
 * The label of a point that was handed in, until its pupil gives it another one. It says nothing of the class: whoever reads the history of a project, as its members and moderators
 * do, need not be of the class.
 */

/** By language: those of the site. */
const labels: ReadonlyMap<string, string> = new Map([['ar', 'سُلّم'], ['en', 'Handed in'], ['es', 'Entregado'], ['pt', 'Entregue'], ['ru', 'Сдано']]);

/** The label in a language, or else in English. @param language a tag, such as `pt-BR`; null if none is known */
export const handedInLabel = (language: string | null): string => labels.get(language?.split('-', 1).join('').toLowerCase() ?? '') ?? 'Handed in';
