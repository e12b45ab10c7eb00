import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';

import type { HistoryEntry } from '../../client/src/index.js';
import { inRegion, timeHere } from '../region.js';
import { Dialog } from './dialog.js';
import { inOrder } from './document.js';
import type { Sheet } from './document.js';
import { Thumbnail, drawnWith } from './drawing.js';
import type { Editor } from './editor.js';
import { wordsOfError } from './error-words.js';

/** Changes that are shown, the latest. */
const MOST = 200;

/** Points that are kept once they were read. */
const MAX_READ = 60;

/** Milliseconds without a change after which somebody's work is told as another part. */
const PART = 30 * 60_000;

/** Milliseconds that the slider rests before its point is read. */
const REST = 120;

/** Changes of one author, with one app or without one, on one day that follow each other, oldest first. */
interface Part {
    day: string;
    changes: HistoryEntry[];
}

function partsOf(changes: readonly HistoryEntry[], dayOf: (change: HistoryEntry) => string): Part[] {
    const parts: Part[] = [];
    for (const change of changes) {
        const part = parts.at(-1);
        const last = part?.changes.at(-1);
        const goesOn = part !== undefined && last !== undefined && part.day === dayOf(change) && last.author?.id === change.author?.id && last.app?.id === change.app?.id && last.label === null && Date.parse(change.at) - Date.parse(last.at) < PART;
        if (goesOn) {
            part.changes.push(change);
        }
        else {
            parts.push({ day: dayOf(change), changes: [change] });
        }
    }

    return parts;
}

/** Gives the focus to a field that has come. */
const focusNew = (field: HTMLInputElement | null): void => field?.focus();

type Read = (revision: number) => Promise<readonly Sheet[]>;

/** The page of a point: the one that is edited, or the first if that was not there. */
const shownPage = (pages: readonly Sheet[], id: string | undefined): Sheet | undefined => pages.find((page) => page.id === id) ?? inOrder(pages)[0];

/** A picture of a page, which is read once it is on the screen. */
export function Still({ editor, read }: { editor: Editor; read: () => Promise<Sheet | undefined> }): JSX.Element {
    const box = useRef<HTMLDivElement>(null);
    const [page, setPage] = useState<Sheet>();
    const options = useMemo(() => drawnWith(editor.client, 0.5), [editor]);
    useEffect(() => {
        const observer = new IntersectionObserver((entries) => {
            if (entries.some(({ isIntersecting }) => isIntersecting)) {
                observer.disconnect();
                read().then(setPage, () => undefined);
            }
        });
        if (box.current !== null) {
            observer.observe(box.current);
        }

        return () => observer.disconnect();
    }, []);
    return <div ref={box} class="still-picture" aria-hidden="true">{page !== undefined && <Thumbnail page={page} options={options} />}</div>;
}

/** The history as a film: look through it, name a point, and go back to it. */
export function HistoryDialog({ editor, close }: { editor: Editor; close: () => void }): JSX.Element {
    const { t, client, doc: { project }, role } = editor;
    const [changes, setChanges] = useState<HistoryEntry[]>();
    const [at, setAt] = useState(0);
    const [pages, setPages] = useState<readonly Sheet[]>();
    const [message, setMessage] = useState('');
    const [isNaming, setNaming] = useState(false);
    const points = useRef(new Map<number, Promise<readonly Sheet[]>>());
    const options = useMemo(() => drawnWith(client, 1.5), [client]);
    const fail = (error: unknown): void => setMessage(wordsOfError(error, editor.t));
    const language = document.documentElement.lang;

    const readPoint: Read = (revision) => {
        const known = points.current.get(revision) ?? client.history.at(project, revision).then((point) => point.pages);
        points.current.delete(revision);
        points.current.set(revision, known);
        known.catch(() => points.current.delete(revision));
        [...points.current.keys()].slice(0, -MAX_READ).forEach((key) => points.current.delete(key));
        return known;
    };

    const readAll = async (): Promise<HistoryEntry[]> => {
        await editor.saving.settled();
        const found: HistoryEntry[] = [];
        for await (const change of client.history.list(project, { count: 100 })) {
            if (found.push(change) === MOST) {
                break;
            }
        }

        setChanges(found.reverse());
        return found;
    };

    useEffect(() => {
        readAll().then((found) => setAt(Math.max(0, found.length - 1))).catch(fail);
    }, []);

    const change = changes?.[at];
    useEffect(() => {
        let isCurrent = true;
        const timer = setTimeout(() => {
            if (change !== undefined) {
                readPoint(change.revision).then((read) => void (isCurrent && setPages(read)), fail);
            }
        }, REST);
        return () => {
            isCurrent = false;
            clearTimeout(timer);
        };
    }, [change?.revision]);

    const nameOf = ({ author, app }: HistoryEntry): string => {
        const name = author?.username ?? t('editor.somebody');
        return app === null ? name : t('editor.by_app', { name, app: app.name });
    };

    const did = (some: readonly HistoryEntry[]): string => (['created', 'updated', 'removed'] as const).flatMap((what) => {
        const count = some.reduce((sum, { counts: { pages: ofPages, elements } }) => sum + ofPages[what] + elements[what], 0);
        return count === 0 ? [] : [t(`editor.count_${{ created: 'made', updated: 'changed', removed: 'removed' }[what]}`, { count })];
    }).join(', ');
    const timeOf = (when: string): string => new Date(when).toLocaleTimeString(inRegion(language), { hour: '2-digit', minute: '2-digit' });
    const dayOf = (when: string): string => new Date(when).toLocaleDateString(inRegion(language), { dateStyle: 'long' });
    const parts = partsOf(changes ?? [], (one) => dayOf(one.at)).reverse();
    const page = pages && shownPage(pages, editor.there(editor.pageId));
    const restore = (revision: number, pageId?: string): void => void editor.earlier.restore(revision, pageId).then((isDone) => (isDone ? close() : setMessage(editor.message)));
    return (
        <Dialog title={t('editor.history')} closeLabel={t('editor.close')} close={close}>
            <p role="status">{message !== '' ? message : changes === undefined ? t('page.loading') : ''}</p>
            {changes !== undefined && change !== undefined && (
                <div class="film">
                    <div class="film-now">
                        <div class="film-picture">{page !== undefined && <Thumbnail page={page} options={options} />}</div>
                        <div class="film-words">
                            <p><strong dir="auto">{change.label ?? t(`editor.kind_${change.kind}`)}</strong><br /><bdi>{nameOf(change)}</bdi> · <time dateTime={change.at}>{timeHere(change.at)}</time><br />{did([change])}</p>
                            {isNaming ? (
                                <form
                                    class="row-form" onSubmit={(event) => {
                                        event.preventDefault();
                                        const label = String(new FormData(event.currentTarget).get('label')).trim();
                                        void (label === '' ? client.history.unlabel(project, change.revision) : client.history.label(project, change.revision, label)).then(readAll).then(() => setNaming(false), fail);
                                    }}
                                >
                                    <label class="field"><span>{t('editor.name_of_point')}</span><input ref={focusNew} name="label" maxLength={100} defaultValue={change.label ?? ''} /></label>
                                    <button class="small">{t('editor.save')}</button>
                                </form>
                            ) : (
                                <div class="choices">
                                    {role !== 'viewer' && at < changes.length - 1 && <button type="button" class="small" onClick={() => restore(change.revision)}>{t('editor.restore')}</button>}
                                    {role !== 'viewer' && at < changes.length - 1 && page !== undefined && <button type="button" class="quiet small" onClick={() => restore(change.revision, page.id)}>{t('editor.restore_page')}</button>}
                                    <button type="button" class="quiet small" onClick={() => void editor.earlier.lookBack(change.revision, change.at).then(close)}>{t('editor.look')}</button>
                                    {role !== 'viewer' && <button type="button" class="quiet small" onClick={() => setNaming(true)}>{t('editor.name_point')}</button>}
                                </div>
                            )}
                        </div>
                    </div>
                    <label class="field film-slider"><span>{t('editor.film_slider')}</span>
                        <input type="range" min={0} max={changes.length - 1} value={at} aria-valuetext={`${timeHere(change.at)}, ${nameOf(change)}`} onInput={({ currentTarget }) => setAt(Number(currentTarget.value))} />
                    </label>
                    {[...new Set(parts.map(({ day }) => day))].map((day) => (
                        <section key={day}>
                            <h3>{day}</h3>
                            <ul class="film-parts">
                                {parts.filter((part) => part.day === day).map((part) => {
                                    const [first, last] = [part.changes[0], part.changes.at(-1)];
                                    return first === undefined || last === undefined ? null : (
                                        <li key={last.revision}>
                                            <button type="button" class="film-part" aria-pressed={part.changes.includes(change)} onClick={() => setAt(changes.indexOf(last))}>
                                                <Still editor={editor} read={async () => shownPage(await readPoint(last.revision), editor.there(editor.pageId))} />
                                                <span class="row-text"><strong dir="auto">{last.label ?? nameOf(last)}</strong><span>{[...new Set([timeOf(first.at), timeOf(last.at)])].join('–')}</span><span>{did(part.changes)}</span></span>
                                            </button>
                                        </li>
                                    );
                                })}
                            </ul>
                        </section>
                    ))}
                </div>
            )}
        </Dialog>
    );
}
