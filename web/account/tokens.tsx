import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import type { NewToken, ProjectWithStats, Token } from '../../client/src/index.js';
import { MAX_TOKEN_PROJECTS } from '../../src/limits';
import { Confirm, Dialog } from '../ui/dialog';
import { Form } from '../ui/form';
import type { Values } from '../ui/form';
import { useKit } from '../ui/kit';
import { Items, useList } from '../ui/list';
import { problemText } from '../ui/problems';
import { Secret } from '../ui/secret';
import { place } from '../ui/place';
import { Rows } from './rows';
import { TokenFacts } from './token-facts';

const DAY = 86_400;
const lives = ['30', '7', '90', '365'] as const;

type Open = { what: 'new' } | { what: 'end'; token: Token } | null;

/** Tokens for scripts. */
export function PersonalTokens(): JSX.Element {
    const { t, client, language, say } = useKit();
    const [tokens, setTokens] = useState<readonly Token[] | null>(null);
    const [made, setMade] = useState<NewToken | null>(null);
    const [open, setOpen] = useState<Open>(null);
    const [problem, setProblem] = useState('');
    const { issuer } = place();
    useEffect(() => {
        if (issuer === null) {
            client.account.tokens().then((all) => setTokens(all.filter(({ origin }) => origin === 'personal')), (error: unknown) => setProblem(problemText(t, language, error)));
        }
    }, []);

    if (issuer !== null) {
        return <p class="lead">{t('sessions.elsewhere', { issuer })}</p>;
    }

    const close = (): void => setOpen(null);
    return (
        <>
            <p class="lead">{t('tokens.lead')}</p>
            <div class="bar"><button type="button" onClick={() => setOpen({ what: 'new' })}>{t('tokens.new')}</button></div>
            <p class="problem" role="alert">{problem}</p>
            {made !== null && <Secret title={t('tokens.secret')} label={t('tokens.secret_of', { name: made.label ?? '' })} value={made.access_token} copy={t('tokens.copy')} copied={t('tokens.copied')} />}
            <Rows
                things={tokens} label={t('account.tokens')} none={t('tokens.none')} problem={problem} nameOf={({ label }) => label ?? ''} facts={(token) => <TokenFacts token={token} />}
                ending={(token) => ({ label: t('sessions.end_name', { name: token.label ?? '' }), text: t('sessions.end'), press: () => setOpen({ what: 'end', token }) })}
            />
            {open?.what === 'new' && <NewTokenDialog onClose={close} onMade={(token) => {
                setMade(token);
                setTokens((before) => [token, ...before ?? []]);
                say(t('tokens.made'));
                close();
            }} />}
            {open?.what === 'end' && (
                <Confirm title={t('sessions.end_name', { name: open.token.label ?? '' })} text={t('tokens.end_text')} action={t('sessions.end')} onClose={close} onConfirm={async () => {
                    await client.account.revoke(open.token);
                    setTokens((before) => before?.filter(({ id }) => id !== open.token.id) ?? null);
                    setMade((before) => (before?.id === open.token.id ? null : before));
                    say(t('tokens.ended'));
                    close();
                }} />
            )}
        </>
    );
}

/** The choice in the form of a new token. */
function chosenIn(values: Values, projects: readonly ProjectWithStats[]): { scope: NewToken['scope']; projects?: string[] } {
    const what = values.text('scope');
    const scope: NewToken['scope'] = what === 'user' ? ['user'] : what === 'projects' ? ['projects'] : ['user', 'projects'];
    const chosen = projects.filter(({ id }) => values.isChecked(`project-${id}`)).map(({ id }) => id).slice(0, MAX_TOKEN_PROJECTS);
    return { scope, ...chosen.length > 0 && { projects: chosen } };
}

function NewTokenDialog({ onClose, onMade }: { onClose(): void; onMade(token: NewToken): void }): JSX.Element {
    const { t, client } = useKit();
    const list = useList<ProjectWithStats>(() => client.projects.mine({ count: 25 }), []);
    return (
        <Dialog title={t('tokens.new')} onClose={onClose}>
            <Form
                submit={t('tokens.make')} cancel={{ label: t('ui.cancel'), onCancel: onClose }}
                fields={[
                    { name: 'label', label: t('tokens.label'), hint: t('tokens.label_hint'), maxLength: 100, focus: true },
                    { name: 'scope', label: t('tokens.may'), type: 'select', value: 'projects', options: [['projects', t('tokens.may_projects')], ['user', t('tokens.may_user')], ['both', t('tokens.may_both')]] },
                    { name: 'days', label: t('tokens.days'), type: 'select', value: '30', options: lives.map((days) => [days, t('tokens.days_count', { count: Number(days) })]) }
                ]}
                onSubmit={async (values) => {
                    onMade(await client.account.createToken({ label: values.text('label').trim(), expires_in: Number(values.text('days')) * DAY, ...chosenIn(values, list.items) }));
                }}
            >
                <fieldset class="field">
                    <legend>{t('tokens.only')}</legend>
                    <p class="hint">{t('tokens.only_hint')}</p>
                    <Items list={list} label={t('tokens.only')} empty={t('projects.none_such')} keyOf={({ id }) => id} class="checks">
                        {({ id, title }) => <div class="field check"><input id={`project-${id}`} name={`project-${id}`} type="checkbox" /><label for={`project-${id}`} dir="auto">{title}</label></div>}
                    </Items>
                </fieldset>
            </Form>
        </Dialog>
    );
}
