import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import type { Collection, NewCollection } from '../../client/src/index.js';
import { Confirm, Dialog } from '../ui/dialog';
import { Form } from '../ui/form';
import type { FieldOptions, Values } from '../ui/form';
import { href, useKit } from '../ui/kit';
import { Items, useList } from '../ui/list';
import { CollectedProjects } from './collected';
import { useVisibilityOptions, visibilityOf } from './projects';

/** The fields of a collection. */
const useFields = (collection?: Collection): FieldOptions[] => {
    const { t } = useKit();
    const options = useVisibilityOptions();
    return [
        { name: 'title', label: t('collections.title'), maxLength: 256, value: collection?.title ?? '' },
        { name: 'description', label: t('collections.description'), type: 'textarea', optional: true, maxLength: 1000, value: collection?.description ?? '' },
        { name: 'visibility', label: t('visibility.label'), type: 'select', options, value: String(collection?.visibility ?? options[0]?.[0]) }
    ];
};

const written = (values: Values): NewCollection => {
    const visibility = visibilityOf(values.text('visibility'));
    return { title: values.text('title').trim(), description: values.text('description'), ...visibility !== undefined && { visibility } };
};

type Open = { what: 'new' } | { what: 'edit' | 'delete'; collection: Collection } | null;

export function OwnCollections(): JSX.Element {
    const chosen = new URLSearchParams(location.search).get('id');
    return chosen === null ? <CollectionList /> : <CollectedProjects id={chosen} />;
}

function EditDialog({ collection, onClose, onSaved }: { collection?: Collection; onClose(): void; onSaved(collection: Collection): void }): JSX.Element {
    const { t, client } = useKit();
    const title = collection === undefined ? t('collections.new') : t('collections.edit_title', { title: collection.title });
    return (
        <Dialog title={title} onClose={onClose}>
            <Form fields={useFields(collection)} submit={t('ui.save')} cancel={{ label: t('ui.cancel'), onCancel: onClose }} onSubmit={async (values) => {
                onSaved(collection === undefined ? await client.collections.create(written(values)) : await client.collections.update(collection, written(values)));
            }} />
        </Dialog>
    );
}

function CollectionList(): JSX.Element {
    const { t, client, say } = useKit();
    const [open, setOpen] = useState<Open>(null);
    const list = useList<Collection>(() => client.collections.mine({ count: 25 }), []);
    const close = (): void => setOpen(null);
    return (
        <>
            <div class="bar"><button type="button" onClick={() => setOpen({ what: 'new' })}>{t('collections.new')}</button></div>
            <Items list={list} label={t('account.collections')} empty={t('collections.none')} keyOf={({ id }) => id}>
                {(collection) => (
                    <article class="row">
                        <div class="about">
                            <h2><a href={href(`/account/collections?id=${collection.id}`)} dir="auto">{collection.title}</a></h2>
                            <p class="facts"><span>{t('collections.count', { count: collection.projects })}</span><span>{t(`visibility.${String(collection.visibility)}`)}</span></p>
                            {collection.description !== '' && <p class="words" dir="auto">{collection.description}</p>}
                            <div class="does">
                                <button type="button" class="quiet" aria-label={t('collections.edit_title', { title: collection.title })} onClick={() => setOpen({ what: 'edit', collection })}>{t('collections.edit')}</button>
                                <button type="button" class="quiet" aria-label={t('collections.delete_title', { title: collection.title })} onClick={() => setOpen({ what: 'delete', collection })}>{t('collections.delete')}</button>
                            </div>
                        </div>
                    </article>
                )}
            </Items>
            {open?.what === 'new' && <EditDialog onClose={close} onSaved={(collection) => location.assign(href(`/account/collections?id=${collection.id}`))} />}
            {open?.what === 'edit' && (
                <EditDialog collection={open.collection} onClose={close} onSaved={(collection) => {
                    list.change((items) => items.map((each) => (each.id === collection.id ? collection : each)));
                    say(t('collections.saved'));
                    close();
                }} />
            )}
            {open?.what === 'delete' && (
                <Confirm title={t('collections.delete_title', { title: open.collection.title })} text={t('collections.delete_text')} action={t('collections.delete')} onClose={close} onConfirm={async () => {
                    await client.collections.delete(open.collection);
                    list.change((items) => items.filter(({ id }) => id !== open.collection.id));
                    say(t('collections.deleted'));
                    close();
                }} />
            )}
        </>
    );
}
