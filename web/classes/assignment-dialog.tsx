import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import { PagewrightError } from '../../client/src/index.js';
import type { Assignment, Class } from '../../client/src/index.js';
import { MAX_ASSIGNMENT_TEXT, MAX_ASSIGNMENT_TITLE } from '../../src/limits';
import { Dialog } from '../ui/dialog';
import { Form } from '../ui/form';
import { useKit } from '../ui/kit';
import { projectAddress, projectIn } from '../ui/project-number';
import { inField } from '../ui/time-field';
import { TemplatePicker } from './template-picker';

interface AssignmentProps {
    one: Class;
    /** the one to change; a new one if left out */
    assignment?: Assignment;
    onClose(): void;
    onDone(): Promise<void>;
}

export function AssignmentDialog({ one, assignment, onClose, onDone }: AssignmentProps): JSX.Element {
    const { t, client } = useKit();
    const [fault, setFault] = useState('');
    return (
        <Dialog title={assignment === undefined ? t('classes.assignment_new') : t('classes.assignment_edit_title', { title: assignment.title })} onClose={onClose}>
            <Form
                fields={[
                    { name: 'title', label: t('collections.title'), maxLength: MAX_ASSIGNMENT_TITLE, value: assignment?.title ?? '', focus: true },
                    { name: 'text', label: t('classes.assignment_text'), type: 'textarea', optional: true, maxLength: MAX_ASSIGNMENT_TEXT, value: assignment?.text ?? '' },
                    { name: 'due_at', label: t('classes.assignment_due'), type: 'datetime-local', optional: true, value: assignment?.due_at ? inField(new Date(assignment.due_at)) : '' }
                ]}
                submit={t('ui.save')} cancel={{ label: t('ui.cancel'), onCancel: onClose }}
                onSubmit={async (values) => {
                    const [other, due] = [values.text('other').trim(), values.text('due_at')];
                    if (other !== '' && !projectAddress.test(other)) {
                        setFault(t('error.project_number'));
                        return;
                    }

                    setFault('');
                    const template = other === '' ? values.text('template') : projectIn(other);
                    const fields = { title: values.text('title').trim(), text: values.text('text'), template: template === '' ? null : template, due_at: due === '' ? null : new Date(due).toISOString() };
                    try {
                        await (assignment === undefined ? client.classes.assign(one, { ...fields, template: fields.template ?? undefined, due_at: fields.due_at ?? undefined }) : client.classes.updateAssignment(assignment, { ...fields, revision: assignment.revision }));
                    }
                    catch (error) {
                        if (!(error instanceof PagewrightError) || error.status !== 404 || template === '') {
                            throw error;
                        }

                        setFault(t('error.not_found'));
                        return;
                    }

                    await onDone();
                }}
            ><TemplatePicker value={assignment?.template ?? ''} fault={fault} /></Form>
        </Dialog>
    );
}
