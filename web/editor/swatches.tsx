import type { JSX } from 'preact';
import type { Editor } from './editor.js';

/** Colours to choose from, by their names in the texts. */
const colours = [
    ['black', '#1a1a1a'], ['white', '#ffffff'], ['red', '#c62828'], ['orange', '#f2a65a'], ['yellow', '#ffe08a'], ['green', '#2e7d32'], ['blue', '#1c5fc4'], ['purple', '#6a1b9a'], ['pink', '#f48fb1'], ['brown', '#795548']
] as const;

interface SwatchesProps {
    editor: Editor;
    label: string;
    /** as `#rrggbb`; undefined if none is chosen */
    value: string | undefined;
    /** what the field for others begins with then */
    otherwise: string;
    change: (value: string) => void;
}

/** Colours, each as a button, and a field for all others. */
export function Swatches({ editor: { t }, label, value, otherwise, change }: SwatchesProps): JSX.Element {
    return (
        <div class="colours">
            <span class="colours-label" aria-hidden="true">{label}</span>
            {colours.map(([name, colour]) => <button key={name} type="button" class="colour" style={{ backgroundColor: colour }} aria-pressed={value === colour} aria-label={`${label}: ${t(`editor.colour_${name}`)}`} title={t(`editor.colour_${name}`)} onClick={() => change(colour)} />)}
            <label class="colour other-colour" title={t('editor.colour_other')}><input type="color" aria-label={label} value={value ?? otherwise} onInput={({ currentTarget }) => change(currentTarget.value)} /></label>
        </div>
    );
}
