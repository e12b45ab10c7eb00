import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

import { PagewrightError } from '../../../client/src/index.js';
import { PICTURES, pictureNames } from '../../../src/classes/pictures/names';
import type { PictureName } from '../../../src/classes/pictures/names';
import { browserName } from '../../sign-in/browser-name';
import { Waiting } from '../../sign-in/enter';
import { forgetPrepared } from '../../prepared';
import type { PreparedClass } from '../../prepared';
import { useKit } from '../../ui/kit';
import { problemText } from '../../ui/problems';
import { Picture } from './shown';

/** Seconds that such a sign-in lasts: until the end of the day, as others use the device. */
const LASTS = 12 * 3600;

interface Pupil {
    id: string;
    name: string;
}

interface EntryProps {
    one: PreparedClass;
    /** if one wants to type, or has to */
    onType(): void;
}

/** Signing in with pictures, on a prepared device: one's own name, then one's pictures. */
export function PictureEntry({ one, onType }: EntryProps): JSX.Element {
    const { t, client, language } = useKit();
    const [pupils, setPupils] = useState<readonly Pupil[] | null>(null);
    const [chosen, choose] = useState<Pupil | null>(null);
    const [problem, setProblem] = useState('');
    const read = (): Promise<void> => client.classes.namesOn(one.secret).then(
        ({ pupils: found }) => {
            const named = found.map(({ id, name }) => ({ id, name: name ?? t('classes.unnamed') }));
            setPupils(named.sort((a, b) => a.name.localeCompare(b.name, language)));
        },
        (error: unknown) => {
            if (error instanceof PagewrightError && error.status === 404) {
                forgetPrepared(one.id);
                onType();
            }

            setProblem(problemText(t, language, error));
        }
    );
    useEffect(() => void read(), []);
    return (
        <div class="picture-entry">
            <p class="of-class"><bdi>{one.title}</bdi></p>
            <Waiting />
            {chosen !== null ? (
                <Choose one={one} pupil={chosen} onRefused={() => void read()} onBack={() => choose(null)} />
            ) : (
                <>
                    <Heading>{t('classes.pictures_who')}</Heading>
                    <p class="problem" role="alert">{problem}</p>
                    {pupils === null && problem === '' && <p class="loading" role="status">{t('page.loading')}</p>}
                    {pupils?.length === 0 && <p class="empty">{t('classes.pictures_nobody')}</p>}
                    <ul class="who">
                        {pupils?.map((pupil, at) => <li key={pupil.id}><Name name={pupil.name} at={at} onChoose={() => choose(pupil)} /></li>)}
                    </ul>
                    <p class="other"><button type="button" class="plain" onClick={onType}>{t('classes.pictures_with_password')}</button></p>
                </>
            )}
        </div>
    );
}

/** The heading of a step, which gets the focus: what had it is gone. */
function Heading({ children }: { children: ComponentChildren }): JSX.Element {
    const heading = useRef<HTMLHeadingElement>(null);
    useEffect(() => heading.current?.focus(), []);
    return <h1 ref={heading} tabIndex={-1}>{children}</h1>;
}

/** A name to press. Its letter and colour help those who do not read yet. */
function Name({ name, at, onChoose }: { name: string; at: number; onChoose(): void }): JSX.Element {
    const [letter = ''] = name.trim();
    return (
        <button type="button" class="quiet" onClick={onChoose}>
            <span class="letter" style={`--hue: ${at * 137 % 360}`} aria-hidden="true">{letter.toLocaleUpperCase()}</span>
            <bdi>{name}</bdi>
        </button>
    );
}

interface ChooseProps {
    one: PreparedClass;
    pupil: Pupil;
    /** if these were not the pictures: perhaps the device was ended */
    onRefused(): void;
    onBack(): void;
}

/** The pictures, of which the pupil chooses three in their order. */
function Choose({ one, pupil, onRefused, onBack }: ChooseProps): JSX.Element {
    const { t, client, language } = useKit();
    const [pictures, setPictures] = useState<readonly PictureName[]>([]);
    const [problem, setProblem] = useState('');
    const [busy, setBusy] = useState(false);
    const go = useRef<HTMLButtonElement>(null);
    const grid = useRef<HTMLUListElement>(null);
    const isWhole = pictures.length === PICTURES;
    useEffect(() => void (isWhole && go.current?.focus()), [isWhole]);
    const nameOf = (name: PictureName): string => t(`classes.picture_${name}`);
    const add = (name: PictureName): void => {
        setProblem('');
        setPictures((before) => (before.length < PICTURES ? [...before, name] : before));
    };

    const send = async (): Promise<void> => {
        if (!isWhole || busy) {
            return;
        }

        setBusy(true);
        try {
            const label = browserName();
            const chosen = { device: one.secret, pupil: pupil.id, pictures: [...pictures], expires_in: LASTS };
            await client.signInWithPictures(label === '' ? chosen : { ...chosen, label });
        }
        catch (error) {
            const isWrong = error instanceof PagewrightError && error.status === 401;
            setProblem(isWrong ? t('classes.pictures_wrong') : problemText(t, language, error));
            setPictures([]);
            setBusy(false);
            grid.current?.querySelector('button')?.focus();
            if (isWrong) {
                onRefused();
            }
        }
    };

    return (
        <>
            <Heading>{t('classes.pictures_hello', { name: pupil.name })}</Heading>
            <p class="lead">{t('classes.pictures_choose')}</p>
            <p class="problem" role="alert">{problem}</p>
            <div class="chosen">
                <ol aria-label={t('classes.pictures_chosen')}>
                    {Array.from({ length: PICTURES }, (_, at) => {
                        const name = pictures[at];
                        return name === undefined ? <li key={at} class="none">{at + 1}</li> : (
                            <li key={at}><Picture name={name} /><span class="visually-hidden">{nameOf(name)}</span></li>
                        );
                    })}
                </ol>
                <button
                    type="button" class="quiet" disabled={pictures.length === 0} aria-label={t('classes.pictures_back')}
                    onClick={() => setPictures(pictures.slice(0, -1))}
                ><span aria-hidden="true">⌫</span></button>
                <button type="button" ref={go} disabled={!isWhole} aria-busy={busy} onClick={() => void send()}>
                    {t('classes.pictures_go')}
                </button>
            </div>
            <p class="visually-hidden" role="status">{pictures.map(nameOf).join(', ')}</p>
            <ul class="picture-grid" ref={grid} aria-label={t('classes.pictures_all')}>
                {pictureNames.map((name) => (
                    <li key={name}>
                        <button type="button" class="quiet" aria-label={nameOf(name)} aria-disabled={isWhole} onClick={() => add(name)}>
                            <Picture name={name} />
                        </button>
                    </li>
                ))}
            </ul>
            <p class="other"><button type="button" class="plain" onClick={onBack}>{t('classes.pictures_not_me')}</button></p>
        </>
    );
}
