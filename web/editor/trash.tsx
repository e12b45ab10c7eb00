import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';

import type { HistoryEntry, TrashEntry } from '../../client/src/index.js';
import { fieldOf } from '../../src/api/json/is-object';
import { timeHere } from '../region.js';
import { Dialog } from './dialog.js';
import { Thumbnail, drawnWith } from './drawing.js';
import type { Editor } from './editor.js';
import { wordsOfError } from './error-words.js';
import type { Piece, Sheet } from './document.js';
import { Still } from './film.js';
import type { Kept } from './kept.js';

interface PastProps {
    editor: Editor;
    close: () => void;
}

async function first<Thing>(list: AsyncIterable<Thing>, most: number): Promise<Thing[]> {
    const found: Thing[] = [];
    for await (const one of list) {
        found.push(one);
        if (found.length === most) {
            break;
        }
    }

    return found;
}

/** A picture of what was removed, where it was on its page. */
function Picture({ editor, piece }: { editor: Editor; piece: Piece }): JSX.Element {
    const options = useMemo(() => drawnWith(editor.client, 0.5), [editor]);
    const page = useMemo((): Sheet => ({ id: '', x: 0, y: 0, styles: {}, revision: 0, elements: [{ ...piece, id: '', revision: 0 }] }), [piece]);
    return <div class="still-picture"><Thumbnail page={page} options={options} /></div>;
}

/** Changes among which the one that removed a page is looked for, the latest. */
const MAX_CHANGES = 100;

interface RemovedPageProps {
    editor: Editor;
    entry: TrashEntry;
    changes: () => Promise<readonly HistoryEntry[]>;
}

/** A page in the trash, with its picture and its words as they were before it was removed. */
function RemovedPage({ editor, entry, changes }: RemovedPageProps): JSX.Element {
    const { t, client, doc: { project } } = editor;
    const [words, setWords] = useState('');
    const read = async (): Promise<Sheet | undefined> => {
        const change = (await changes()).find(({ at }) => at === entry.deleted_at);
        const page = change && (await client.history.at(project, change.from)).pages.find(({ id }) => id === entry.thing.id);
        setWords(page?.elements.map((item) => editor.nameOf(item)).join(', ').slice(0, 80) ?? '');
        return page;
    };

    return (
        <>
            <Still editor={editor} read={read} />
            <div class="row-text">
                <strong>{t('editor.page_in_trash')}</strong>
                {words !== '' && <span dir="auto">{words}</span>}
                <time dateTime={entry.deleted_at}>{timeHere(entry.deleted_at)}</time>
            </div>
        </>
    );
}

/** The things that were removed from this project and can be restored. */
export function TrashDialog({ editor, close }: PastProps): JSX.Element {
    const { t, client, doc: { project } } = editor;
    const [entries, setEntries] = useState<TrashEntry[]>();
    const [kept, setKept] = useState(editor.kept.list());
    const [message, setMessage] = useState('');
    const changes = useRef<Promise<HistoryEntry[]> | null>(null);
    const readChanges = (): Promise<HistoryEntry[]> => (changes.current ??= first(client.history.list(project, { count: MAX_CHANGES }), MAX_CHANGES));
    const read = async (): Promise<void> => {
        await editor.saving.settled();
        // What a member removes is in the trash of the owner.
        setEntries(editor.role !== 'owner' ? [] : (await first(client.trash.list({ count: 100 }), 200)).filter((entry) => entry.type !== 'project' && entry.project.id === project.id));
    };

    useEffect(() => {
        read().catch((error) => setMessage(wordsOfError(error, editor.t)));
    }, []);

    const restore = async (entry: TrashEntry): Promise<void> => {
        try {
            await client.trash.restore(entry).catch((error: unknown) => {
                const { thing } = entry;
                if (fieldOf(error, 'code') !== 'coordinates_taken' || !('x' in thing)) {
                    throw error;
                }

                // The next free column of its row.
                const row = editor.doc.pages.filter(({ y }) => y === thing.y).map(({ x }) => x);
                return client.trash.restore(entry, { x: Math.max(thing.x, ...row) + 1, y: thing.y });
            });
            await editor.saving.refresh();
            await read();
            setMessage(t('editor.restored'));
        }
        catch (error) {
            setMessage(wordsOfError(error, editor.t));
        }
    };

    const bringBack = (one: Kept): void => {
        editor.adding.paste([one.piece]);
        editor.kept.remove(one);
        setKept(editor.kept.list());
    };

    return (
        <Dialog title={t('editor.trash')} closeLabel={t('editor.close')} close={close}>
            <p role="status">{message !== '' ? message : entries === undefined ? t('page.loading') : entries.length + kept.length === 0 ? t('editor.trash_empty') : ''}</p>
            <ul class="rows">
                {kept.map((one) => (
                    <li key={one.id}>
                        <Picture editor={editor} piece={one.piece} />
                        <div class="row-text">
                            <strong dir="auto">{editor.nameOf(one.piece)}</strong>
                            <span>{t('editor.given_up')} · <time dateTime={one.at}>{timeHere(one.at)}</time></span>
                        </div>
                        <button type="button" class="quiet small" onClick={() => bringBack(one)}>{t('editor.bring_back')}</button>
                    </li>
                ))}
                {entries?.map((entry) => (
                    <li key={entry.id}>
                        {'attributes' in entry.thing ? (
                            <>
                                <Picture editor={editor} piece={entry.thing} />
                                <div class="row-text">
                                    <strong dir="auto">{editor.nameOf(entry.thing)}</strong>
                                    <span>{t(`editor.type_${entry.thing.type === 'shape' ? String(entry.thing.attributes.shape) : entry.thing.type}`)}</span>
                                    <time dateTime={entry.deleted_at}>{timeHere(entry.deleted_at)}</time>
                                </div>
                            </>
                        ) : <RemovedPage editor={editor} entry={entry} changes={readChanges} />}
                        <button type="button" class="quiet small" onClick={() => void restore(entry)}>{t('editor.bring_back')}</button>
                    </li>
                ))}
            </ul>
        </Dialog>
    );
}
