import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import type { Fields, Item } from './document.js';
import { inOrder } from './document.js';
import type { Editor } from './editor.js';
import { actionOf, buttonActionNames } from './elements.js';
import type { ButtonAction } from './elements.js';
import { Field } from './field.js';
import { addressOf } from './links.js';
import { SoundChoices } from './sound-tool.js';
import { TextField } from './text-field.js';

/** A field for the address of a website. What is typed stays as it is until the field is left; then the address is shown whole. */
function AddressField({ editor: { t }, href, change }: { editor: Editor; href: string; change: (href: string) => void }): JSX.Element {
    const [typed, setTyped] = useState<string>();
    const address = addressOf(typed ?? href);
    return (
        <>
            <Field wide label={t('editor.address')}>
                <input
                    type="url" value={typed ?? href} aria-describedby="address-problem" onBlur={() => setTyped(undefined)}
                    onInput={({ currentTarget: { value } }) => {
                        setTyped(value);
                        const meant = addressOf(value);
                        change('href' in meant ? meant.href : value);
                    }}
                />
            </Field>
            <p id="address-problem" class="hint" role="status">{'problem' in address && t(`editor.address_${address.problem}`)}</p>
        </>
    );
}

interface PartProps {
    editor: Editor;
    item: Item;
}

/** Where a button leads: to a page, a new one, or a website. */
function Target({ editor, item: { attributes } }: PartProps): JSX.Element {
    const { t, doc, saving } = editor;
    const change = (fields: Fields): void => editor.selection.change(fields, {});
    const toPage = typeof attributes.targetPageId === 'string' || typeof attributes.targetPageId === 'number' ? saving.ids.here('pages', String(attributes.targetPageId)) : '';
    const links = toPage === '' && typeof attributes.href === 'string';
    const lead = (value: string): void => change(value === 'href' ?
        { href: 'https://', targetPageId: undefined, targetProjectId: undefined, targetUserId: undefined } :
        { href: undefined, targetPageId: value === '' ? undefined : saving.ids.there(value), targetProjectId: value === '' ? undefined : doc.project.id, targetUserId: value === '' ? undefined : doc.project.user_id });
    return (
        <>
            <Field wide label={t('editor.leads_to')}>
                <select value={links ? 'href' : toPage} onChange={({ currentTarget: { value } }) => lead(value === 'new' ? editor.paging.newPage() : value)}>
                    <option value="">{t('editor.leads_nowhere')}</option>
                    {inOrder(doc.pages).map((page, index) => <option key={page.id} value={page.id}>{t('editor.page_number', { number: index + 1 })}</option>)}
                    <option value="new">{t('editor.leads_new')}</option>
                    <option value="href">{t('editor.leads_out')}</option>
                </select>
            </Field>
            {links && <AddressField editor={editor} href={String(attributes.href)} change={(href) => change({ href })} />}
        </>
    );
}

/** The action of a button, and its target. */
export function ActionFields({ editor, item }: PartProps): JSX.Element {
    const { t } = editor;
    const action = actionOf(item.type);
    const [wanted, want] = useState<ButtonAction>();
    return (
        <>
            <Field wide label={t('editor.button_does')}>
                <select
                    value={wanted ?? action} onChange={({ currentTarget: { value } }) => {
                        const chosen = buttonActionNames.find((name) => name === value);
                        // What it plays has to be there first.
                        want(chosen === 'plays' && action !== 'plays' ? chosen : undefined);
                        if (chosen !== undefined && chosen !== 'plays') {
                            void editor.adding.become(chosen);
                        }
                    }}
                >{buttonActionNames.map((name) => <option key={name} value={name}>{t(`editor.button_${name}`)}</option>)}</select>
            </Field>
            {wanted === 'plays' && <div class="choices"><SoundChoices editor={editor} recording={() => undefined} chosen={(file) => void editor.adding.become('plays', file)} /></div>}
            {wanted === undefined && action === 'leads' && <Target editor={editor} item={item} />}
            {wanted === undefined && action === 'shows' && <Field wide label={t('editor.attribute_reveals')}><TextField editor={editor} rows={2} value={String(item.attributes.reveals ?? '')} change={(value) => editor.selection.change({ reveals: value }, {})} /></Field>}
        </>
    );
}
