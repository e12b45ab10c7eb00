import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';

import { PagewrightError } from '../../client/src/index.js';
import type { ClassRead, EnrolledPupil } from '../../client/src/index.js';
import { MAX_NAMES } from '../../src/limits';
import { Dialog } from '../ui/dialog';
import { Form } from '../ui/form';
import { useKit, useSession } from '../ui/kit';
import { problemText } from '../ui/problems';
import { SentRequests, newKey } from './kept';
import type { Sent } from './kept';
import { namesIn } from './names';
import { Preview } from './preview';
import type { Slip } from './sheets';

const slipsOf = (key: string, pupils: readonly EnrolledPupil[]): Slip[] => {
    return pupils.map(({ user: { username }, ...shown }) => ({ ...shown, username, key }));
};

/** How many sheets can be shown again. */
const countOf = ({ names, open }: Sent): number => (open ?? names).length;

/** Whether the service has certainly done nothing. */
const isRefused = (error: unknown): boolean => error instanceof PagewrightError && error.status >= 400 && error.status < 500 && error.code !== 'request_in_flight';

/** Names of the longest list that is shown: of a longer one, a part can be pasted. */
const MAX_SHOWN = 5 * MAX_NAMES;

interface AddProps {
    found: ClassRead;
    onMade(slips: Slip[]): void;
    /** those that are shown */
    slips: readonly Slip[];
}

/** Opens accounts for the pupils of a list. */
export function AddPupils({ found, onMade, slips }: AddProps): JSX.Element {
    const { t, client, language } = useKit();
    const session = useSession();
    const [isOpen, setOpen] = useState(false);
    const [problem, setProblem] = useState('');
    const sent = new SentRequests(found.class.id, session?.user.id ?? '');
    const left = sent.list().filter(({ key }) => slips.every((slip) => slip.key !== key));
    const send = async (request: Sent): Promise<Slip[]> => {
        const { key, names } = request;
        const made = slipsOf(key, await client.classes.enrol(found.class, names, key).catch((error: unknown) => {
            if (isRefused(error)) {
                sent.drop(key);
            }

            throw error;
        }));
        const { open = made.map(({ username }) => username) } = request;
        sent.keep({ ...request, open });
        return made.filter(({ username }) => open.includes(username));
    };

    const showAgain = async (): Promise<void> => {
        try {
            for (const request of left) {
                onMade(await send(request));
            }
        }
        catch (error) {
            setProblem(problemText(t, language, error));
        }
    };

    return (
        <>
            <div class="bar"><button type="button" onClick={() => setOpen(true)}>{t('classes.add')}</button></div>
            <p class="problem" role="alert">{problem}</p>
            {left.length > 0 && (
                <div class="warning">
                    <p>{t('classes.again_text', { count: left.reduce((sum, request) => sum + countOf(request), 0) })}</p>
                    <button type="button" class="quiet" onClick={() => void showAgain()}>{t('classes.again')}</button>
                </div>
            )}
            {isOpen && (
                <AddDialog found={found} onClose={() => setOpen(false)} onSend={async (key, names) => {
                    const request = { key, names, at: Date.now() };
                    sent.keep(request);
                    const made = await send(request);
                    setOpen(false);
                    onMade(made);
                }} />
            )}
        </>
    );
}

interface DialogProps {
    found: ClassRead;
    onClose(): void;
    onSend(key: string, names: string[]): Promise<void>;
}

/** Takes a list, and shows what it would make before anything is made. */
function AddDialog({ found: { class: one }, onClose, onSend }: DialogProps): JSX.Element {
    const { t, client } = useKit();
    const [text, setText] = useState('');
    const [checked, setChecked] = useState<{ present: readonly string[]; count: number } | null>(null);
    // Sent again after an error, the same names are the same request.
    const keys = useRef(new Map<string, string>());
    const keyFor = (list: readonly string[]): string => {
        const key = keys.current.get(list.join('\n')) ?? newKey();
        keys.current.set(list.join('\n'), key);
        return key;
    };

    return (
        <Dialog title={t(checked === null ? 'classes.add' : 'classes.preview')} class={checked === null ? undefined : 'wide'} onClose={onClose}>
            {checked === null ? (
                <>
                    <p class="words">{t('classes.add_text')}</p>
                    <Form
                        fields={[{ name: 'names', label: t('classes.names'), hint: t('classes.names_hint', { most: MAX_NAMES }), type: 'textarea', value: text, focus: true }]}
                        submit={t('ui.go_on')} cancel={{ label: t('ui.cancel'), onCancel: onClose }}
                        onSubmit={async (values) => {
                            const pasted = values.text('names');
                            const { length } = namesIn(pasted);
                            if (length === 0 || length > MAX_SHOWN) {
                                throw new PagewrightError(400, { details: [{ path: 'names', message: length === 0 ? t('classes.no_names') : t('classes.too_many', { names: length, most: MAX_NAMES }) }] });
                            }

                            // Somebody else may have added pupils since the page was opened.
                            const { pupils } = await client.classes.get(one.id);
                            setText(pasted);
                            setChecked({ present: pupils.flatMap(({ name }) => name ?? []), count: pupils.length });
                        }}
                    />
                </>
            ) : <Preview {...checked} text={text} onBack={() => setChecked(null)} onSend={(missing) => onSend(keyFor(missing), missing)} />}
        </Dialog>
    );
}
