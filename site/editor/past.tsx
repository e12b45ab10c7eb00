import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import type { HistoryEntry, TrashEntry } from '../../client/src/index.js';
import { Dialog } from './dialog.js';
import type { Editor } from './editor.js';

interface PastProps {
    editor: Editor;
    close: () => void;
}

/** What is shown of a list at a time. */
const MOST = 50;

async function first<Thing>(list: AsyncIterable<Thing>, most = MOST): Promise<Thing[]> {
    const found: Thing[] = [];
    for await (const one of list) {
        found.push(one);
        if (found.length === most) {
            break;
        }
    }

    return found;
}

/** The history of the project: look back, name a point, and go back. */
export function HistoryDialog({ editor, close }: PastProps): JSX.Element {
    const { t, client, doc: { project } } = editor;
    const [changes, setChanges] = useState<HistoryEntry[]>();
    const [message, setMessage] = useState('');
    const [named, setNamed] = useState<number>();
    const read = async (): Promise<void> => {
        await editor.saving.settled();
        setChanges(await first(client.history.list(project, { count: MOST })));
    };

    useEffect(() => {
        read().catch((error) => setMessage(editor.wordsOf(error)));
    }, []);
    const did = ({ counts: { pages, elements } }: HistoryEntry): string => ([['made', pages.created + elements.created], ['changed', pages.updated + elements.updated], ['removed', pages.removed + elements.removed]] as const)
        .flatMap(([what, count]) => (count === 0 ? [] : [t(`editor.count_${what}`, { count })])).join(', ');
    return (
        <Dialog title={t('editor.history')} closeLabel={t('editor.close')} close={close}>
            <p role="status">{message !== '' ? message : changes === undefined ? t('page.loading') : ''}</p>
            <ol class="rows">
                {changes?.map((change) => (
                    <li key={change.revision}>
                        <div class="row-text">
                            <strong dir="auto">{change.label ?? t(`editor.kind_${change.kind}`)}</strong>
                            <span>{change.author?.username ?? t('editor.somebody')} · <time dateTime={change.at}>{new Date(change.at).toLocaleString(document.documentElement.lang)}</time></span>
                            <span>{did(change)}</span>
                        </div>
                        {named === change.revision ? (
                            <form
                                class="row-form" onSubmit={(event) => {
                                    event.preventDefault();
                                    const label = String(new FormData(event.currentTarget).get('label')).trim();
                                    void (label === '' ? client.history.unlabel(project, change.revision) : client.history.label(project, change.revision, label)).then(read).then(() => setNamed(undefined), (error) => setMessage(editor.wordsOf(error)));
                                }}
                            >
                                <label class="field"><span>{t('editor.name_of_point')}</span><input name="label" maxLength={100} defaultValue={change.label ?? ''} /></label>
                                <button class="small">{t('editor.save')}</button>
                            </form>
                        ) : (
                            <div class="choices">
                                <button type="button" class="quiet small" onClick={() => void editor.lookBack(change.revision, change.at).then(close)}>{t('editor.look')}</button>
                                {editor.role !== 'viewer' && <button type="button" class="quiet small" onClick={() => setNamed(change.revision)}>{t('editor.name_point')}</button>}
                            </div>
                        )}
                    </li>
                ))}
            </ol>
        </Dialog>
    );
}

/** What was removed from this project, and can be brought back. */
export function TrashDialog({ editor, close }: PastProps): JSX.Element {
    const { t, client, doc: { project } } = editor;
    const [entries, setEntries] = useState<TrashEntry[]>();
    const [message, setMessage] = useState('');
    const read = async (): Promise<void> => {
        await editor.saving.settled();
        setEntries((await first(client.trash.list({ count: 100 }), 200)).filter((entry) => entry.type !== 'project' && entry.project.id === project.id));
    };

    useEffect(() => {
        read().catch((error) => setMessage(editor.wordsOf(error)));
    }, []);

    const restore = async (entry: TrashEntry): Promise<void> => {
        try {
            await client.trash.restore(entry).catch((error: unknown) => {
                const { thing } = entry;
                if (Reflect.get(Object(error), 'code') !== 'coordinates_taken' || !('x' in thing)) {
                    throw error;
                }

                // The next free column of its row.
                const row = editor.doc.pages.filter(({ y }) => y === thing.y).map(({ x }) => x);
                return client.trash.restore(entry, { x: Math.max(thing.x, ...row) + 1, y: thing.y });
            });
            await editor.saving.refresh();
            editor.say(t('editor.restored'));
            await read();
        }
        catch (error) {
            setMessage(editor.wordsOf(error));
        }
    };

    return (
        <Dialog title={t('editor.trash')} closeLabel={t('editor.close')} close={close}>
            <p role="status">{message !== '' ? message : entries === undefined ? t('page.loading') : entries.length === 0 ? t('editor.trash_empty') : ''}</p>
            <ul class="rows">
                {entries?.map((entry) => (
                    <li key={entry.id}>
                        <div class="row-text">
                            <strong dir="auto">{'x' in entry.thing ? t('editor.page_in_trash', { x: entry.thing.x, y: entry.thing.y }) : 'type' in entry.thing ? editor.nameOf(entry.thing) : ''}</strong>
                            <time dateTime={entry.deleted_at}>{new Date(entry.deleted_at).toLocaleString(document.documentElement.lang)}</time>
                        </div>
                        <button type="button" class="quiet small" onClick={() => void restore(entry)}>{t('editor.bring_back')}</button>
                    </li>
                ))}
            </ul>
        </Dialog>
    );
}
