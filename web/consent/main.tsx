import '../ui/people.css';

import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import { PagewrightError } from '../../client/src/index.js';
import { SignedIn } from '../sign-in/enter';
import { Form } from '../ui/form';
import { useKit } from '../ui/kit';
import { problemText } from '../ui/problems';
import { startPage } from '../ui/start';
import { ask } from './ask';
import type { Asked } from './ask';
import { Question } from './question';

/** The end of it, and what to do now. */
const Message = ({ title, text }: { title: string; text: string }): JSX.Element => <section class="message" role="status"><h1 tabIndex={-1}>{title}</h1><p>{text}</p></section>;

/** An app in this browser asks to be let in. */
function FromApp(): JSX.Element {
    const { t, client, language } = useKit();
    const { pathname } = location;
    const [asked, setAsked] = useState<Asked>();
    const [problem, setProblem] = useState('');
    const [isGoing, setGoing] = useState(false);

    const textOf = (error: unknown): string => (error instanceof PagewrightError && error.code === 'not_found' ? t('consent.expired') : problemText(t, language, error));

    const decide = async (allow: boolean, scope: readonly string[]): Promise<void> => {
        const { location: address } = await ask<{ location: string }>(client, 'POST', pathname, { allow, scope });
        setGoing(true);
        location.assign(address);
    };

    useEffect(() => {
        void (async () => {
            try {
                const found = await ask<Asked>(client, 'GET', `${pathname}/request`);
                if (found.skip) {
                    await decide(true, found.scope);
                }
                else {
                    setAsked(found);
                }
            }
            catch (error) {
                setProblem(textOf(error));
            }
        })();
    }, []);

    if (problem !== '') {
        return <Message title={t('consent.failed')} text={problem} />;
    }

    if (isGoing) {
        return <Message title={t('consent.going')} text={t('consent.going_text')} />;
    }

    return asked === undefined ? <p class="loading" role="status">{t('page.loading')}</p> : (
        <Question asked={asked} onDecided={(allow, scope) => decide(allow, scope).catch((error: unknown) => setProblem(textOf(error)))} />
    );
}

/** A device without a browser asks to be let in: it shows a code, which one types here. */
function FromDevice(): JSX.Element {
    const { t, client, language } = useKit();
    const [code, setCode] = useState(new URLSearchParams(location.search).get('user_code') ?? '');
    const [asked, setAsked] = useState<Asked>();
    const [end, setEnd] = useState<{ title: string; text: string }>();
    if (end !== undefined) {
        return <Message {...end} />;
    }

    if (asked === undefined) {
        return (
            <section class="enter">
                <h1>{t('device.title')}</h1>
                <p class="lead">{t('device.lead')}</p>
                <Form
                    label={t('device.title')} submit={t('device.next')}
                    fields={[{ name: 'user_code', label: t('device.code'), hint: t('device.hint'), value: code, maxLength: 20, focus: true, codes: ['not_found'] }]}
                    onSubmit={async (values) => {
                        const typed = values.text('user_code').trim();
                        setCode(typed);
                        setAsked(await ask<Asked>(client, 'POST', '/oauth/device/request', { user_code: typed }));
                    }}
                />
            </section>
        );
    }

    return (
        <Question asked={asked} onDecided={async (allow, scope) => {
            try {
                await ask(client, 'POST', '/oauth/device/decision', { user_code: code, allow, scope });
                const isIn = allow && scope.length > 0;
                setEnd({ title: t(isIn ? 'device.allowed' : 'device.denied'), text: t(isIn ? 'device.allowed_text' : 'device.denied_text') });
            }
            catch (error) {
                setEnd({ title: t('consent.failed'), text: problemText(t, language, error) });
            }
        }} />
    );
}

function App(): JSX.Element {
    const { t } = useKit();
    return <SignedIn text={t('consent.sign_in')}>{location.pathname.startsWith('/device') ? <FromDevice /> : <FromApp />}</SignedIn>;
}

void startPage(App);
