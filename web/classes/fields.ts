import type { Class, ClassFields } from '../../client/src/index.js';
import { publishLevels } from '../../src/api/request/publish-levels';
import { MOST_CLASS_TITLE } from '../../src/limits';
import type { Translate } from '../../src/site/text-options';
import type { FieldOptions, Values } from '../ui/form';

/** The fields of a class in a form. */
export const classFields = (t: Translate, one?: Class): FieldOptions[] => [
    { name: 'title', label: t('classes.name'), hint: t('classes.name_hint'), maxLength: MOST_CLASS_TITLE, value: one?.title ?? '', focus: true },
    { name: 'publish', label: t('classes.publish'), hint: t('classes.publish_hint'), type: 'select', value: one?.publish ?? 'class', options: publishLevels.map((level) => [level, t(`classes.publish_${level}`)]) }
];

/** What was written into them. */
export const classWritten = (values: Values): Pick<ClassFields, 'title' | 'publish'> => ({
    title: values.text('title').trim(),
    publish: publishLevels.find((level) => level === values.text('publish')) ?? 'class'
});
