import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';

import { PagewrightError } from '../../client/src/index.js';
import type { Client, TrashEntry } from '../../client/src/index.js';
import type { Item, Sheet } from '../editor/document';
import { Thumbnail, drawnWith } from '../editor/drawing';
import { Confirm } from '../ui/dialog';
import { timeIn, useKit } from '../ui/kit';
import { Items, useList } from '../ui/list';
import { problemText } from '../ui/problems';
import { nameOfRemoved } from '../ui/removed';

/** Restores an entry; a page whose place was taken goes to the right of all others. */
async function restore(client: Client, entry: TrashEntry): Promise<void> {
    try {
        await client.trash.restore(entry);
    }
    catch (error) {
        if (!(error instanceof PagewrightError) || error.code !== 'coordinates_taken') {
            throw error;
        }

        const pages = await client.projects.pages({ id: entry.project.id, user_id: 'me' });
        await client.trash.restore(entry, { x: Math.max(...pages.map(({ x }) => x)) + 1, y: 0 });
    }
}

/** A page with one thing on it, where it was. */
const alone = (thing: Item): Sheet => ({ id: '', x: 0, y: 0, styles: {}, revision: 0, elements: [thing] });

export function OwnTrash(): JSX.Element {
    const { t, client, language, say } = useKit();
    const [deleting, setDeleting] = useState<TrashEntry | null>(null);
    const list = useList<TrashEntry>(() => client.trash.list({ count: 25 }), []);
    const drop = (entry: TrashEntry): void => list.change((items) => items.filter(({ id }) => id !== entry.id));
    const nameOf = (entry: TrashEntry): string => nameOfRemoved(t, entry);
    const options = useMemo(() => drawnWith(client, 0.5), [client]);

    const bringBack = async (entry: TrashEntry): Promise<void> => {
        try {
            await restore(client, entry);
            drop(entry);
            say(t('trash.restored', { name: nameOf(entry) }));
        }
        catch (error) {
            say(problemText(t, language, error));
        }
    };

    return (
        <>
            <p class="lead">{t('trash.lead')}</p>
            <Items list={list} label={t('account.trash')} empty={t('trash.none')} keyOf={({ id }) => id}>
                {(entry) => (
                    <article class="row">
                        {'attributes' in entry.thing && <Thumbnail page={alone(entry.thing)} options={options} />}
                        <div class="about">
                            <h2 dir="auto">{nameOf(entry)}</h2>
                            <p class="facts">
                                <span>{t('trash.removed', { time: timeIn(language, entry.deleted_at) })}</span>
                                {entry.deleted_by !== null && entry.deleted_by.id !== client.session?.user.id && <span>{t('ui.by', { name: entry.deleted_by.username })}</span>}
                                <span>{t('trash.until', { time: timeIn(language, entry.purge_at) })}</span>
                            </p>
                            <div class="does">
                                <button type="button" class="quiet" aria-label={t('trash.restore_name', { name: nameOf(entry) })} onClick={() => void bringBack(entry)}>{t('trash.restore')}</button>
                                <button type="button" class="quiet" aria-label={t('trash.delete_name', { name: nameOf(entry) })} onClick={() => setDeleting(entry)}>{t('trash.delete')}</button>
                            </div>
                        </div>
                    </article>
                )}
            </Items>
            {deleting !== null && (
                <Confirm
                    title={t('trash.delete_name', { name: nameOf(deleting) })} text={t('trash.delete_text')} action={t('trash.delete')} onClose={() => setDeleting(null)}
                    onConfirm={async () => {
                        await client.trash.delete(deleting);
                        drop(deleting);
                        say(t('trash.deleted'));
                        setDeleting(null);
                    }}
                />
            )}
        </>
    );
}
