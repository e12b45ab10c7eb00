import type { JSX } from 'preact';

import { Dialog } from '../ui/dialog';
import { Form } from '../ui/form';
import { useKit } from '../ui/kit';
import { DAY, useLengths } from './lengths';
import { decide, ruleOf, thingOf, usualRule } from './reported';
import type { Reported, State } from './reported';
import { nameOf } from './entry';
import { useRuleField } from './rule-field';

interface DecisionProps {
    report: Reported;
    state: State;
    onClose(): void;
    onDone(): void;
}

/** Decides about something that was reported: each decision needs a note, and each that does something a rule. */
export function Decision({ report, state, onClose, onDone }: DecisionProps): JSX.Element {
    const { t, client, say } = useKit();
    const title = nameOf(t, report);
    const { kind } = thingOf(report);
    const rule = useRuleField(usualRule(report));
    const length = useLengths();
    const isSuspension = state === 'suspended';
    return (
        <Dialog title={isSuspension ? t('moderation.suspend_name', { name: title }) : t(`moderation.${state}_title`, { title })}
            onClose={onClose}>
            <p>
                {t(isSuspension ? 'moderation.suspend_text' : kind === 'project' ? `moderation.${state}_text`
                    : `moderation.${state}_${kind}`)}
            </p>
            <Form
                fields={[
                    ...state === 'kept' ? [] : [rule], ...isSuspension ? [length] : [],
                    { name: 'note', label: t('moderation.note'), type: 'textarea', maxLength: 1000, focus: true, codes: ['not_found'] }
                ]}
                submit={t(isSuspension ? 'moderation.suspend' : `moderation.${state}`)} danger={state === 'removed' || isSuspension}
                cancel={{ label: t('ui.cancel'), onCancel: onClose }}
                onSubmit={async (values) => {
                    const days = Number(values.text('length'));
                    await decide(client, report, {
                        state, note: values.text('note').trim(), ...state !== 'kept' && { rule: ruleOf(values.text('rule')) },
                        ...isSuspension && !Number.isNaN(days) && { until: new Date(Date.now() + days * DAY).toISOString() }
                    });
                    say(t('moderation.decided', { title }));
                    onDone();
                }}
            />
        </Dialog>
    );
}
