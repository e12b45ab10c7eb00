import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import type { Project } from '../../client/src/index.js';
import { Confirm, Dialog } from '../ui/dialog';
import { Form } from '../ui/form';
import { useKit } from '../ui/kit';
import { problemText } from '../ui/problems';
import { DAY, useLengths } from './lengths';
import { holdBy, ruleOf, suspendBy } from './reported';
import type { Rule } from './reported';
import { useRuleField } from './rule-field';

interface ActsProps {
    project: Project;
    /** whether holding and removing it are decisions about reports, which are made elsewhere */
    isReported?: boolean;
    onChange(project: Project): void;
    onRemoved?(): void;
}

interface SuspendProps {
    name: string;
    /** whether it goes by a rule that the person reads */
    hasRule?: boolean;
    /** @param until the end; there is none if left out */
    suspend(reason: string, until: Date | undefined, rule: Rule): Promise<unknown>;
    onClose(): void;
}

/** Asks why and for how long somebody is to be suspended. */
export function Suspend({ name, hasRule = false, suspend, onClose }: SuspendProps): JSX.Element {
    const { t, say } = useKit();
    const length = useLengths();
    const rule = useRuleField('other');
    return (
        <Dialog title={t('moderation.suspend_name', { name })} onClose={onClose}>
            <p>{t('moderation.suspend_text')}</p>
            <Form
                fields={[
                    ...hasRule ? [rule] : [],
                    { name: 'reason', label: t('moderation.why'), type: 'textarea', maxLength: 1000, focus: true },
                    length
                ]}
                submit={t('moderation.suspend')} danger cancel={{ label: t('ui.cancel'), onCancel: onClose }}
                onSubmit={async (values) => {
                    const days = Number(values.text('length'));
                    await suspend(values.text('reason').trim(), Number.isNaN(days) ? undefined : new Date(Date.now() + days * DAY),
                        ruleOf(values.text('rule')));
                    say(t('moderation.suspended', { name }));
                    onClose();
                }}
            />
        </Dialog>
    );
}

type Open = 'hold' | 'remove' | 'suspend' | null;

/** The act in the page's address. */
const asked = (): Open => (new URLSearchParams(location.search).get('act') === 'suspend' ? 'suspend' : null);

/** The acts of a moderator on a project and its author. */
export function ProjectActs({ project, isReported = false, onChange, onRemoved }: ActsProps): JSX.Element {
    const { t, client, language, say } = useKit();
    const [open, setOpen] = useState<Open>(isReported ? null : asked);
    const { author, title } = project;
    const close = (): void => setOpen(null);
    const rule = useRuleField('other');

    const act = async (work: () => Promise<Project | void>, text: string): Promise<void> => {
        try {
            const next = await work();
            if (next !== undefined) {
                // The field is left out once a hold has ended.
                onChange({ ...project, ...next, held: next.held });
            }

            say(text);
        }
        catch (error) {
            say(problemText(t, language, error));
        }
    };

    return (
        <div class="does">
            <button type="button" class="quiet" onClick={() => void act(() => client.moderation.feature(project, !project.featured), t(project.featured ? 'moderation.unfeatured' : 'moderation.featured', { title }))}>
                {t(project.featured ? 'moderation.unfeature' : 'moderation.feature')}
            </button>
            {project.held !== undefined && <button type="button" class="quiet" onClick={() => void act(() => client.moderation.release(project), t('moderation.released', { title }))}>{t('moderation.release')}</button>}
            {!isReported && project.held === undefined && <button type="button" class="quiet" onClick={() => setOpen('hold')}>{t('moderation.held')}</button>}
            {!isReported && <button type="button" class="quiet" onClick={() => setOpen('remove')}>{t('moderation.removed')}</button>}
            <button type="button" class="quiet" onClick={() => setOpen('suspend')}>{t('moderation.suspend_name', { name: author.username })}</button>
            <button type="button" class="quiet" onClick={() => void act(() => client.moderation.unsuspend(author), t('moderation.unsuspended', { name: author.username }))}>{t('moderation.unsuspend', { name: author.username })}</button>
            {open === 'suspend' && <Suspend name={author.username} hasRule suspend={(...why) => suspendBy(client, author.id, ...why)}
                onClose={close} />}
            {open === 'hold' && (
                <Dialog title={t('moderation.held_title', { title })} onClose={close}>
                    <p>{t('moderation.held_text')}</p>
                    <Form fields={[rule, { name: 'reason', label: t('moderation.note'), type: 'textarea', maxLength: 1000, focus: true }]}
                        submit={t('moderation.held')} cancel={{ label: t('ui.cancel'), onCancel: close }} onSubmit={async (values) => {
                            onChange({ ...project,
                                ...await holdBy(client, project.id, values.text('reason').trim(), ruleOf(values.text('rule'))) });
                            say(t('moderation.decided', { title }));
                            close();
                        }} />
                </Dialog>
            )}
            {open === 'remove' && (
                <Confirm title={t('moderation.removed_title', { title })} text={t('moderation.removed_text')} action={t('moderation.removed')} onClose={close} onConfirm={async () => {
                    await client.moderation.remove(project);
                    say(t('moderation.decided', { title }));
                    close();
                    onRemoved?.();
                }} />
            )}
        </div>
    );
}
