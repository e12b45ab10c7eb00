import type { JSX } from 'preact';

import type { Assignment, Class } from '../../client/src/index.js';
import { MOST_ASSIGNMENT_TEXT, MOST_ASSIGNMENT_TITLE } from '../../src/limits';
import { Dialog } from '../ui/dialog';
import { Form } from '../ui/form';
import { useKit } from '../ui/kit';
import { projectAddress, projectIn } from '../ui/project-number';
import { inField } from '../ui/time-field';

interface AssignmentProps {
    one: Class;
    /** the one to change; a new one if left out */
    assignment?: Assignment;
    onClose(): void;
    onDone(): Promise<void>;
}

export function AssignmentDialog({ one, assignment, onClose, onDone }: AssignmentProps): JSX.Element {
    const { t, client } = useKit();
    return (
        <Dialog title={assignment === undefined ? t('classes.assignment_new') : t('classes.assignment_edit_title', { title: assignment.title })} onClose={onClose}>
            <Form
                fields={[
                    { name: 'title', label: t('collections.title'), maxLength: MOST_ASSIGNMENT_TITLE, value: assignment?.title ?? '', focus: true },
                    { name: 'text', label: t('classes.assignment_text'), type: 'textarea', optional: true, maxLength: MOST_ASSIGNMENT_TEXT, value: assignment?.text ?? '' },
                    { name: 'template', label: t('classes.assignment_template'), hint: t('classes.assignment_template_hint'), optional: true, maxLength: 500, value: assignment?.template ?? '', codes: ['not_found'], check: (value) => (projectAddress.test(value) ? undefined : t('error.project_number')) },
                    { name: 'due_at', label: t('classes.assignment_due'), type: 'datetime-local', optional: true, value: assignment?.due_at ? inField(new Date(assignment.due_at)) : '' }
                ]}
                submit={t('ui.save')} cancel={{ label: t('ui.cancel'), onCancel: onClose }}
                onSubmit={async (values) => {
                    const [template, due] = [values.text('template').trim(), values.text('due_at')];
                    const fields = { title: values.text('title').trim(), text: values.text('text'), template: template === '' ? null : projectIn(template), due_at: due === '' ? null : new Date(due).toISOString() };
                    if (assignment === undefined) {
                        await client.classes.assign(one, { ...fields, template: fields.template ?? undefined, due_at: fields.due_at ?? undefined });
                    }
                    else {
                        await client.classes.updateAssignment(assignment, { ...fields, revision: assignment.revision });
                    }

                    await onDone();
                }}
            />
        </Dialog>
    );
}
