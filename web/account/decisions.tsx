import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import { appeal, listOwnReports, listStatements } from '../ui/conversation';
import type { OwnReport, Statement } from '../ui/conversation';
import { Dialog } from '../ui/dialog';
import { Form } from '../ui/form';
import { href, timeIn, useKit } from '../ui/kit';
import { Items, useList } from '../ui/list';
import { readOwnPicture } from '../ui/own-picture';

/** Moderators' decisions about whoever is signed in, and what came of their own reports. */
export function Decisions(): JSX.Element {
    const { t } = useKit();
    return (
        <>
            <p class="lead">{t('decisions.lead')}</p>
            <Statements />
            <section class="part" id="reports">
                <h2>{t('decisions.reports')}</h2>
                <OwnReports />
            </section>
        </>
    );
}

function Statements(): JSX.Element {
    const { t, client, say } = useKit();
    const list = useList<Statement>(() => listStatements(client), []);
    const [appealing, setAppealing] = useState<Statement | null>(null);
    const close = (): void => setAppealing(null);
    // The part of the address is there only now.
    useEffect(() => {
        if (list.items.length > 0 && location.hash !== '') {
            document.getElementById(location.hash.slice(1))?.scrollIntoView({ block: 'center' });
        }
    }, [list.items.length === 0]);
    const what = ({ type, title }: Statement): string => t(`decisions.of_${type}`, { title: title ?? t('page.untitled') });
    return (
        <>
            <Items list={list} label={t('account.decisions')} empty={t('decisions.none')} keyOf={({ id }) => id}>
                {(statement) => (
                    <article class="row statement" id={`statement-${statement.id}`}>
                        <div class="about">
                            <h2>{what(statement)}</h2>
                            <Decided statement={statement} />
                            {statement.sha256 !== null && statement.decision === 'hold' && <OwnPicture hash={statement.sha256} />}
                            {statement.appeal === null && statement.ended_at === null
                                && <div class="does"><button type="button"
                                    aria-label={t('decisions.appeal_name', { what: what(statement) })}
                                    onClick={() => setAppealing(statement)}>{t('decisions.appeal')}</button></div>}
                            {statement.appeal !== null && <Appealed appeal={statement.appeal} />}
                        </div>
                    </article>
                )}
            </Items>
            {appealing !== null && (
                <Dialog title={t('decisions.appeal_name', { what: what(appealing) })} onClose={close}>
                    <p>{t('decisions.appeal_text')}</p>
                    <Form
                        fields={[{ name: 'text', label: t('decisions.appeal_words'), type: 'textarea', maxLength: 2000, focus: true }]}
                        submit={t('decisions.appeal_send')} cancel={{ label: t('ui.cancel'), onCancel: close }}
                        onSubmit={async (values) => {
                            const next = await appeal(client, appealing, values.text('text').trim());
                            list.change((items) => items.map((each) => (each.id === next.id ? next : each)));
                            say(t('decisions.appealed'));
                            close();
                        }}
                    />
                </Dialog>
            )}
        </>
    );
}

/** The decision, by which rule, in which words, and until when. */
function Decided({ statement: { decision, type, rule, reason, facts, at, until, ended_at: ended } }: { statement: Statement }): JSX.Element {
    const { t, language } = useKit();
    return (
        <>
            <p class="facts">
                <strong>{t(`decisions.${decision}`)}</strong>
                <span>{timeIn(language, at)}</span>
                <span>{t(`decisions.facts_${facts}`)}</span>
                {decision === 'suspend' && ended === null
                    && <span>{until === null ? t('decisions.no_end') : t('decisions.until', { time: timeIn(language, until) })}</span>}
            </p>
            {ended === null ? <p>{t(`decisions.${decision}_means${type === 'picture' ? '_picture' : ''}`)}</p>
                : <p><strong>{t('decisions.ended', { time: timeIn(language, ended) })}</strong></p>}
            <p>{t('decisions.rule', { rule: t(`report.${rule}`) })}</p>
            <blockquote class="words warning" dir="auto">{reason}</blockquote>
        </>
    );
}

/** A picture that a decision is about, as long as whoever has sent it can see it. */
function OwnPicture({ hash }: { hash: string }): JSX.Element | null {
    const { client } = useKit();
    const [address, setAddress] = useState<string>();
    useEffect(() => void readOwnPicture(hash, client).then(setAddress, () => undefined), [hash]);
    return address === undefined ? null : <img class="to-judge" src={address} alt="" />;
}

/** One's own words, and the answer. */
function Appealed({ appeal: { text, at, outcome, reason,
    decided_at: decided } }: { appeal: NonNullable<Statement['appeal']> }): JSX.Element {
    const { t, language } = useKit();
    return (
        <div class="part">
            <p class="facts"><strong>{t('decisions.your_appeal')}</strong><span>{timeIn(language, at)}</span></p>
            <blockquote class="words" dir="auto">{text}</blockquote>
            <p class="facts">
                <strong>{outcome === null ? t('decisions.waiting') : t(`decisions.${outcome}`)}</strong>{decided !== null
                    && <span>{timeIn(language, decided)}</span>}
            </p>
            {reason !== null && <blockquote class="words" dir="auto">{reason}</blockquote>}
        </div>
    );
}

function OwnReports(): JSX.Element {
    const { t, client, language } = useKit();
    const list = useList<OwnReport>(() => listOwnReports(client), []);
    return (
        <Items list={list} label={t('decisions.reports')} empty={t('decisions.no_reports')}
            keyOf={({ kind, thing_id: thing }) => `${kind} ${thing}`}>
            {({ kind, project_id: project, reason, text, created_at: at, outcome }) => (
                <article class="row">
                    <div class="about">
                        <h2>
                            {project === null ? t(`decisions.report_${kind}`)
                                : <a href={href(`/p/${project}`)}>{t(`decisions.report_${kind}`)}</a>}
                        </h2>
                        <p class="facts">
                            <strong>{t(`decisions.outcome_${outcome ?? 'open'}`)}</strong>
                            <span>{t(`report.${reason}`)}</span><span>{timeIn(language, at)}</span>
                        </p>
                        {text !== '' && <p class="words" dir="auto">{text}</p>}
                    </div>
                </article>
            )}
        </Items>
    );
}
