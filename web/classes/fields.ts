import type { Class, ClassFields } from '../../client/src/index.js';
import { publishLevels } from '../../src/classes/publish-levels';
import { MAX_CLASS_TITLE } from '../../src/limits';
import type { Translate } from '../../src/site/text-options';
import type { FieldOptions, Values } from '../ui/form';

/** When the class sees what its pupils put into it. */
const shows = ['at once', 'after a look'] as const satisfies readonly ClassFields['show'][];

/** The fields of a class in a form. */
export const classFields = (t: Translate, one?: Class): FieldOptions[] => [
    { name: 'title', label: t('classes.name'), hint: t('classes.name_hint'), maxLength: MAX_CLASS_TITLE, value: one?.title ?? '', focus: true },
    { name: 'publish', label: t('classes.publish'), hint: t('classes.publish_hint'), type: 'select', value: one?.publish ?? 'class', options: publishLevels.map((level) => [level, t(`classes.publish_${level}`)]) },
    { name: 'show', label: t('classes.show'), hint: t('classes.show_hint'), type: 'select', value: one?.show ?? 'at once', options: shows.map((show) => [show, t(`classes.show_${show.replaceAll(' ', '_')}`)]) }
];

/** Values written into them. */
export const classWritten = (values: Values): Pick<ClassFields, 'title' | 'publish' | 'show'> => ({
    title: values.text('title').trim(),
    publish: publishLevels.find((level) => level === values.text('publish')) ?? 'class',
    show: shows.find((show) => show === values.text('show')) ?? 'at once'
});
