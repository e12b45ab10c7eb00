import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';

import { PagewrightError } from '../../client/src/index.js';
import type { ClassRead, EnrolledPupil } from '../../client/src/index.js';
import { MOST_NAMES, MOST_PUPILS, MOST_PUPIL_NAME } from '../../src/limits';
import { Dialog } from '../ui/dialog';
import { Form } from '../ui/form';
import { useKit, useSession } from '../ui/kit';
import { problemText } from '../ui/problems';
import { SentRequests, newKey } from './kept';
import type { Sent } from './kept';
import { compared, namesIn, repeated } from './names';
import type { Slip } from './sheets';

const slipsOf = (key: string, pupils: readonly EnrolledPupil[]): Slip[] => pupils.map(({ name, user: { username }, passphrase }) => ({ name, username, passphrase, key }));

/** How many sheets can be shown again. */
const countOf = ({ names, open }: Sent): number => (open ?? names).length;

/** Whether the service has certainly done nothing. */
const isRefused = (error: unknown): boolean => error instanceof PagewrightError && error.status >= 400 && error.status < 500 && error.code !== 'request_in_flight';

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
    const [checked, setChecked] = useState<{ names: readonly string[]; present: readonly string[] } | null>(null);
    // Sent again after an error, the same names are the same request.
    const keys = useRef(new Map<string, string>());
    const keyFor = (list: readonly string[]): string => {
        const key = keys.current.get(list.join('\n')) ?? newKey();
        keys.current.set(list.join('\n'), key);
        return key;
    };

    /** What is wrong with a list. */
    const fault = (list: readonly string[], pupils: ClassRead['pupils'], present: readonly string[]): string | undefined => {
        const { missing } = compared(list, present);
        const long = list.find((name) => [...name].length > MOST_PUPIL_NAME);
        if (list.length === 0) {
            return t('classes.no_names');
        }

        if (long !== undefined) {
            return t('classes.too_long', { most: MOST_PUPIL_NAME, name: long });
        }

        if (missing.length > MOST_NAMES) {
            return t('classes.too_many', { names: missing.length, most: MOST_NAMES });
        }

        if (missing.length + pupils.length > MOST_PUPILS) {
            return t('classes.too_many_in_class', { names: missing.length + pupils.length, most: MOST_PUPILS });
        }

        return missing.length === 0 ? t('classes.all_there') : undefined;
    };

    return (
        <Dialog title={t(checked === null ? 'classes.add' : 'classes.preview')} onClose={onClose}>
            {checked === null ? (
                <>
                    <p class="words">{t('classes.add_text')}</p>
                    <Form
                        fields={[{ name: 'names', label: t('classes.names'), hint: t('classes.names_hint', { most: MOST_NAMES }), type: 'textarea', value: text, focus: true }]}
                        submit={t('ui.go_on')} cancel={{ label: t('ui.cancel'), onCancel: onClose }}
                        onSubmit={async (values) => {
                            const names = namesIn(values.text('names'));
                            // Somebody else may have added pupils since the page was opened.
                            const { pupils } = await client.classes.get(one.id);
                            const present = pupils.flatMap(({ name }) => (name === null ? [] : [name]));
                            const message = fault(names, pupils, present);
                            if (message !== undefined) {
                                throw new PagewrightError(400, { details: [{ path: 'names', message }] });
                            }

                            setText(values.text('names'));
                            setChecked({ names, present });
                        }}
                    />
                </>
            ) : <Preview {...checked} onBack={() => setChecked(null)} onSend={(missing) => onSend(keyFor(missing), missing)} />}
        </Dialog>
    );
}

interface PreviewProps {
    names: readonly string[];
    present: readonly string[];
    onBack(): void;
    onSend(names: string[]): Promise<void>;
}

function Preview({ names, present, onBack, onSend }: PreviewProps): JSX.Element {
    const { t } = useKit();
    const [isBusy, setBusy] = useState(false);
    // Of the moment: the class may grow meanwhile.
    const [{ missing, there }] = useState(() => compared(names, present));
    const twice = repeated(missing);
    return (
        <>
            <p id="previewed">{t('classes.makes', { count: missing.length })}</p>
            <ol class="names previewed" tabIndex={0} aria-labelledby="previewed">{missing.map((name, at) => <li key={at}><bdi>{name}</bdi></li>)}</ol>
            {there.length > 0 && <p class="hint">{t('classes.already', { names: there.join(', ') })}</p>}
            {twice.length > 0 && <p class="warning">{t('classes.twice', { names: twice.join(', ') })}</p>}
            <p class="hint" role="status">{isBusy ? t('classes.making') : ''}</p>
            <Form
                fields={[]} submit={t('classes.make_accounts', { count: missing.length })} cancel={{ label: t('classes.back'), onCancel: onBack }}
                onSubmit={async () => {
                    setBusy(true);
                    await onSend(missing).finally(() => setBusy(false));
                }}
            />
        </>
    );
}
