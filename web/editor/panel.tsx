import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import { fontNames } from '../../client/src/render/index.js';
import { ActionFields } from './action-fields.js';
import { LETTERS, MAX_LETTERS, MIN_LETTERS } from './arranging.js';
import type { Item } from './document.js';
import { isLocked } from './document.js';
import type { Editor } from './editor.js';
import { actionOf, hasAlt, hasWords } from './elements.js';
import { Field } from './field.js';
import { Icon } from './icons.js';
import { Swatches } from './swatches.js';
import { TextField } from './text-field.js';

const otherFonts = fontNames.slice(1);

const shared = (items: readonly Item[], where: 'attributes' | 'styles', name: string): unknown => {
    const [first, ...others] = items.map((item) => item[where][name]);
    return others.every((value) => value === first) ? first : undefined;
};

/** A number without more digits than people read. */
const inShort = (value: unknown): unknown => (typeof value === 'number' ? Number(value.toFixed(2)) : value);

const hex = (value: unknown): string | undefined => {
    const text = String(value ?? '');
    return /^#[\da-f]{6}$/i.test(text) ? text.toLowerCase() : /^#[\da-f]{3}$/i.test(text) ? `#${[...text.slice(1).toLowerCase()].map((digit) => digit + digit).join('')}` : undefined;
};

interface PartProps {
    editor: Editor;
    items: readonly Item[];
}

interface NumberProps {
    value: unknown;
    least: number;
    most: number;
    step: number;
    change: (value: number | undefined) => void;
}

/** A field for a number. What is typed stays as it is until the field is left: the first digit of a number may be less than the least, and `-` is none yet. */
function NumberField({ value, least, most, step, change }: NumberProps): JSX.Element {
    const [typed, setTyped] = useState<string>();
    return (
        <input
            type="number" min={least} max={most} step={step} value={typed ?? String(value)} onBlur={() => setTyped(undefined)}
            onInput={({ currentTarget: { value: text } }) => {
                setTyped(text);
                change(text === '' || !Number.isFinite(Number(text)) ? undefined : Math.min(Math.max(Number(text), least), most));
            }}
        />
    );
}

function Numbers({ editor, items, names }: PartProps & { names: readonly (readonly [name: string, least: number, most: number, step: number, otherwise: number | ''])[] }): JSX.Element {
    return (
        <div class="fields">
            {names.map(([name, least, most, step, otherwise]) => (
                <Field key={name} label={editor.t(`editor.style_${name}`)}>
                    <NumberField value={inShort(shared(items, 'styles', name)) ?? otherwise} least={least} most={most} step={step} change={(value) => editor.selection.change({}, { [name]: value })} />
                </Field>
            ))}
        </div>
    );
}

/** Two buttons or more, of which one or none is pressed. */
function Choice({ editor, items, name, values }: PartProps & { name: string; values: readonly (readonly [value: string, otherwise: string | undefined, sign: string])[] }): JSX.Element {
    const now = shared(items, 'styles', name);
    return (
        <>
            {values.map(([value, otherwise, sign]) => (
                <button key={value} type="button" class={`choice ${name}-${value}`} aria-pressed={now === value} aria-label={editor.t(`editor.style_${name}_${value}`)} title={editor.t(`editor.style_${name}_${value}`)} onClick={() => editor.selection.change({}, { [name]: now === value ? otherwise : value })}>{sign}</button>
            ))}
        </>
    );
}

function Words({ editor, item }: { editor: Editor; item: Item }): JSX.Element {
    const { type, attributes } = item;
    const text = hasWords.has(type) ? 'text' : 'alt';
    return (
        <>
            <Field wide label={editor.t(`editor.attribute_${text}`)}><TextField editor={editor} className="words" rows={3} value={String(attributes[text] ?? '')} asked={text === 'alt' ? editor.typing.asked : undefined} change={(value) => editor.selection.change({ [text]: value }, {})} /></Field>
            {actionOf(type) !== undefined && <ActionFields editor={editor} item={item} />}
        </>
    );
}

/** The panel of the chosen elements. */
export function ElementPanel({ editor, copy, close }: { editor: Editor; copy: () => void; close: () => void }): JSX.Element {
    const { t, selection: { items: chosen } } = editor;
    const [item] = chosen;
    const isText = chosen.every(({ type }) => hasWords.has(type));
    const isPixelated = shared(chosen, 'styles', 'imageRendering') === 'pixelated';
    const part = { editor, items: chosen };
    const isRightToLeft = document.documentElement.dir === 'rtl';
    return (
        <section class={`panel${editor.panelOpen ? ' open' : ''}`} aria-labelledby="panel-title">
            <div class="panel-head"><h2 id="panel-title" dir="auto">{item === undefined || chosen.length > 1 ? t('editor.chosen', { count: chosen.length }) : editor.nameOf(item)}</h2><button type="button" class="plain" aria-label={t('editor.close')} onClick={close}><Icon name="close" /></button></div>
            {chosen.length === 1 && item !== undefined && (hasWords.has(item.type) || hasAlt.has(item.type)) && <Words key={item.id} editor={editor} item={item} />}
            {isText && (
                <>
                    <div class="choices" role="group" aria-label={t('editor.letters')}>
                        <Choice {...part} name="fontWeight" values={[['bold', undefined, 'B']]} />
                        <Choice {...part} name="fontStyle" values={[['italic', undefined, 'I']]} />
                        <Choice {...part} name="textDecoration" values={[['underline', undefined, 'U']]} />
                        <Choice {...part} name="textAlign" values={[['start', undefined, isRightToLeft ? '⇥' : '⇤'], ['center', undefined, '↔'], ['end', undefined, isRightToLeft ? '⇤' : '⇥']]} />
                        {([['smaller', 1 / 1.2, 'A−'], ['larger', 1.2, 'A+']] as const).map(([name, factor, sign]) => <button
                            key={name} type="button" class="choice" title={t(`editor.letters_${name}`)}
                            onClick={() => editor.arranging.scaleLetters(factor)}
                        ><span aria-hidden="true" dir="ltr">{sign}</span><span class="visually-hidden">{t(`editor.letters_${name}`)}</span></button>)}
                    </div>
                    <Field wide label={t('editor.style_fontFamily')}>
                        <select value={String(shared(chosen, 'styles', 'fontFamily') ?? '')} onChange={({ currentTarget: { value } }) => editor.selection.change({}, { fontFamily: value === '' ? undefined : value })}>
                            {[...new Set(['', ...otherFonts, String(shared(chosen, 'styles', 'fontFamily') ?? '')])].map((font) => <option key={font} value={font}>{font === '' ? t('editor.font_plain') : font.split(',')[0]?.replace(/["']/g, '')}</option>)}
                        </select>
                    </Field>
                </>
            )}
            <div class="fields">
                {isText && <Swatches editor={editor} label={t('editor.style_color')} value={hex(shared(chosen, 'styles', 'color'))} otherwise="#1a1a1a" change={(value) => editor.selection.change({}, { color: value })} />}
                <Swatches editor={editor} label={t('editor.style_backgroundColor')} value={hex(shared(chosen, 'styles', 'backgroundColor'))} otherwise="#ffffff" change={(value) => editor.selection.change({}, { backgroundColor: value })} />
                {isText && <button type="button" class="quiet small across" onClick={() => editor.selection.change({}, { backgroundColor: undefined })}>{t('editor.no_background')}</button>}
            </div>
            <details class="numbers">
                <summary class="quiet small">{t('page.more')}</summary>
                <Numbers {...part} names={[...isText ? [['fontSize', MIN_LETTERS, MAX_LETTERS, 1, LETTERS]] as const : [], ['borderRadius', 0, 500, 1, 0], ['rotate', -360, 360, 1, 0], ['opacity', 0, 1, 0.1, 1]]} />
                {chosen.length === 1 && <Numbers {...part} names={[['left', -1000, 1000, 1, 0], ['top', -1000, 1000, 1, 0], ['width', 1, 2000, 1, ''], ['height', 1, 2000, 1, '']]} />}
            </details>
            {chosen.length === 1 && (
                <div class="choices" role="group" aria-label={t('editor.layers')}>
                    {(['front', 'up', 'down', 'back'] as const).map((move) => <button key={move} type="button" class="quiet small" onClick={() => editor.arranging.layer(move)}>{t(`editor.to_${move}`)}</button>)}
                </div>
            )}
            <div class="choices">
                <button type="button" class="quiet small" onClick={copy}>{t('editor.copy')}</button>
                <button type="button" class="quiet small" onClick={() => editor.adding.paste(editor.selection.copy())}>{t('editor.duplicate')}</button>
                <button type="button" class="quiet small" aria-pressed={chosen.every(isLocked)} onClick={() => editor.arranging.lock(!chosen.every(isLocked))}>{t('editor.lock')}</button>
                {chosen.length === 1 && item?.type === 'image' && <button type="button" class="quiet small" onClick={() => editor.arranging.fillPage()}>{t('editor.fill_page')}</button>}
                {chosen.every(({ type }) => type === 'image') && <button type="button" class="quiet small" aria-pressed={isPixelated} onClick={() => editor.selection.change({}, { imageRendering: isPixelated ? undefined : 'pixelated' })}>{t('editor.sharp_pixels')}</button>}
                <button type="button" class="quiet small danger" onClick={() => editor.selection.remove()}>{t('editor.delete')}</button>
            </div>
        </section>
    );
}

/** The page and the project, when nothing is chosen. */
export function PagePanel({ editor }: { editor: Editor }): JSX.Element {
    const { t, doc: { project }, page } = editor;
    return (
        <section class={`panel page-panel${editor.panelOpen ? ' open' : ''}`} aria-labelledby="panel-title">
            <div class="panel-head"><h2 id="panel-title">{t('editor.this_page')}</h2><button type="button" class="plain narrow" aria-label={t('editor.close')} onClick={() => editor.openPanel(false)}><Icon name="close" /></button></div>
            <div class="fields">
                <Swatches editor={editor} label={t('editor.style_backgroundColor')} value={hex(page?.styles.backgroundColor)} otherwise="#ffffff" change={(value) => editor.paging.stylePage({ backgroundColor: value })} />
            </div>
            <div class="choices" role="group" aria-label={t('editor.move_page')}>
                {([['left', -1, 0, '←'], ['right', 1, 0, '→'], ['up', 0, -1, '↑'], ['down', 0, 1, '↓']] as const).map(([name, x, y, sign]) => <button key={name} type="button" class="choice" aria-label={t(`editor.page_${name}`)} title={t(`editor.page_${name}`)} onClick={() => editor.paging.movePage(x, y)}>{sign}</button>)}
            </div>
            <div class="choices">
                <button type="button" class="quiet small" onClick={() => editor.paging.addPage(page)}>{t('editor.duplicate_page')}</button>
                <button type="button" class="quiet small danger" onClick={() => void editor.paging.removePage()}>{t('editor.delete_page')}</button>
            </div>
            <h2>{t('editor.this_project')}</h2>
            <Field wide label={t('editor.description')}><textarea rows={3} dir="auto" maxLength={1000} value={project.description} onChange={({ currentTarget: { value } }) => editor.paging.changeProject({ description: value })} /></Field>
            <p class="hint">{t('editor.keys')}</p>
        </section>
    );
}
