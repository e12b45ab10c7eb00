import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';

import { PagewrightError } from '../../client/src/index.js';
import { useKit } from './kit';
import { problemText } from './problems';

export interface FieldOptions {
    /** as the service names it in `details` */
    name: string;
    label: string;
    type?: 'text' | 'email' | 'password' | 'textarea' | 'select' | 'file' | 'checkbox' | 'datetime-local';
    hint?: string;
    /** what it has at first */
    value?: string;
    optional?: boolean;
    minLength?: number;
    maxLength?: number;
    /** says what is wrong with a value */
    check?(value: string): string | undefined;
    autocomplete?: AutoFill;
    /** the values of a select, each with its label */
    options?: readonly (readonly [value: string, label: string])[];
    /** media types of a file */
    accept?: string;
    /** codes of errors that are shown at this field */
    codes?: readonly string[];
    focus?: boolean;
}

type AutoFill = 'username' | 'email' | 'current-password' | 'new-password' | 'off';

/** The values of a form by the names of its fields. */
export interface Values {
    text(name: string): string;
    file(name: string): File | undefined;
    isChecked(name: string): boolean;
    /** whether it has something that is no value, such as a day without an hour: then the browser says that it is empty */
    isUnfinished(name: string): boolean;
}

interface FormProps {
    fields: readonly FieldOptions[];
    submit: string;
    onSubmit(values: Values): Promise<void>;
    cancel?: { label: string; onCancel(): void };
    /** whether it takes something away */
    danger?: boolean;
    /** whether the fields are beside each other where there is room */
    inline?: boolean;
    label?: string;
    children?: ComponentChildren;
}

const valuesOf = (form: HTMLFormElement): Values => {
    const data = new FormData(form);
    return {
        text: (name) => {
            const value = data.get(name);
            return typeof value === 'string' ? value : '';
        },
        file: (name) => {
            const value = data.get(name);
            return value instanceof File && value.size > 0 ? value : undefined;
        },
        isChecked: (name) => data.has(name),
        isUnfinished: (name) => {
            const field = form.elements.namedItem(name);
            return field instanceof HTMLInputElement && field.validity.badInput;
        }
    };
};

type Faults = Readonly<Record<string, string>>;

/** A form that says at each field what is wrong with it, and moves the focus to the first such field. */
export function Form({ fields, submit, onSubmit, cancel, danger = false, inline = false, label, children }: FormProps): JSX.Element {
    const { t, language } = useKit();
    const form = useRef<HTMLFormElement>(null);
    const [faults, setFaults] = useState<Faults>({});
    const [problem, setProblem] = useState('');
    const [busy, setBusy] = useState(false);

    useEffect(() => {
        form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
    }, [faults]);

    const faultOf = ({ name, type, optional = false, minLength = 0, check }: FieldOptions, values: Values): string | undefined => {
        const value = values.text(name);
        const isMissing = type === 'file' ? values.file(name) === undefined : type !== 'checkbox' && type !== 'select' && value.trim() === '';
        if (isMissing) {
            return optional && !values.isUnfinished(name) ? undefined : t('error.required');
        }

        if (value.length < minLength) {
            return t('error.too_short', { count: minLength });
        }

        return check?.(value);
    };

    const refused = (error: unknown): void => {
        const text = problemText(t, language, error);
        const details = error instanceof PagewrightError ? error.details : [];
        const at = fields.filter(({ name, codes = [] }) => (error instanceof PagewrightError && codes.includes(error.code)) || details.some(({ path }) => path === name));
        setFaults(Object.fromEntries(at.map(({ name }) => [name, details.find(({ path }) => path === name)?.message ?? text])));
        setProblem(at.length === 0 ? text : '');
    };

    const send = async (event: Event): Promise<void> => {
        event.preventDefault();
        if (form.current === null || busy) {
            return;
        }

        const values = valuesOf(form.current);
        const found = fields.flatMap((field) => {
            const fault = faultOf(field, values);
            return fault === undefined ? [] : [[field.name, fault]];
        });
        setProblem('');
        setFaults(Object.fromEntries(found));
        if (found.length > 0) {
            return;
        }

        setBusy(true);
        try {
            await onSubmit(values);
        }
        catch (error) {
            refused(error);
        }

        setBusy(false);
    };

    return (
        <form ref={form} class={inline ? 'fields inline' : 'fields'} noValidate aria-busy={busy} aria-label={label} onSubmit={(event) => void send(event)}>
            {fields.map((field) => <Field key={field.name} {...field} fault={faults[field.name]} />)}
            {children}
            <p class="problem" role="alert">{problem}</p>
            <div class="actions">
                <button type="submit" class={danger ? 'danger' : undefined} aria-disabled={busy}>{submit}</button>
                {cancel !== undefined && <button type="button" class="quiet" onClick={cancel.onCancel}>{cancel.label}</button>}
            </div>
        </form>
    );
}

function Field({ name, label, type = 'text', hint, value = '', optional = false, maxLength, autocomplete = 'off', options = [], accept, focus = false, fault }: FieldOptions & { fault: string | undefined }): JSX.Element {
    const { t } = useKit();
    const id = useId();
    const [shown, setShown] = useState(false);
    const input = useRef<HTMLElement>(null);
    useEffect(() => {
        if (focus) {
            input.current?.focus();
        }
    }, []);

    const described = [hint === undefined ? [] : `${id}-hint`, fault === undefined ? [] : `${id}-fault`].flat().join(' ');
    const shared = { id, name, 'aria-describedby': described === '' ? undefined : described, 'aria-invalid': fault !== undefined };
    const setInput = (element: HTMLElement | null): void => {
        input.current = element;
    };

    if (type === 'checkbox') {
        return <div class="field check"><input {...shared} ref={setInput} type="checkbox" defaultChecked={value !== ''} /><label for={id}>{label}</label></div>;
    }

    return (
        <div class="field">
            <label for={id}>{optional ? t('ui.optional', { label }) : label}</label>
            {hint !== undefined && <p class="hint" id={`${id}-hint`}>{hint}</p>}
            {type === 'select' ? (
                <select {...shared} ref={setInput}>{options.map(([each, text]) => <option key={each} value={each} selected={each === value}>{text}</option>)}</select>
            ) : type === 'textarea' ? (
                <textarea {...shared} ref={setInput} rows={4} dir="auto" maxLength={maxLength} defaultValue={value} required={!optional} />
            ) : (
                <div class="input">
                    <input
                        {...shared} ref={setInput} type={type === 'password' && shown ? 'text' : type} maxLength={maxLength} defaultValue={type === 'file' ? undefined : value} autoComplete={autocomplete} accept={accept} required={!optional}
                        dir={type === 'text' ? 'auto' : undefined} autoCapitalize={autocomplete === 'username' || type === 'password' ? 'none' : undefined} spellcheck={autocomplete === 'off' ? undefined : false}
                    />
                    {type === 'password' && <button type="button" class="plain" aria-pressed={shown} onClick={() => setShown(!shown)}>{t('ui.show_password')}</button>}
                </div>
            )}
            {fault !== undefined && <p class="problem" id={`${id}-fault`}>{fault}</p>}
        </div>
    );
}
