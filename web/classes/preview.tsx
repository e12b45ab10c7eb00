import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import { MAX_NAMES, MAX_PUPILS, MAX_PUPIL_NAME } from '../../src/limits';
import { Form } from '../ui/form';
import { useKit } from '../ui/kit';
import { compared, repeated } from './compare';
import { nameIn, nameParts, readList } from './names';
import type { ColumnUse } from './names';

interface PreviewProps {
    text: string;
    /** the names in the class, and how many pupils it has */
    present: readonly string[];
    count: number;
    onBack(): void;
    onSend(names: string[]): Promise<void>;
}

interface Row {
    cells: readonly string[];
    name: string;
    isIn: boolean;
}

/** Shows a list as it was understood, lets a teacher change what each column is taken for, and each row, and makes the accounts then. */
export function Preview({ text, present, count, onBack, onSend }: PreviewProps): JSX.Element {
    const { t } = useKit();
    const [isBusy, setBusy] = useState(false);
    const [isOfCells, setOfCells] = useState<boolean>();
    const [table, setTable] = useState(() => readList(text));
    const [canBeOfCells] = useState(() => table.header.length === 0 && readList(text, true).rows.length !== readList(text, false).rows.length);
    const [written, setWritten] = useState<ReadonlyMap<number, string>>(new Map());
    const [chosen, setChosen] = useState<ReadonlyMap<number, boolean>>(new Map());
    const rows = table.rows.map((row, at): Row => {
        const name = (written.get(at) ?? nameIn(table, row)).trim();
        return { cells: row.cells, name, isIn: name !== '' && (chosen.get(at) ?? row.isPupil) };
    });
    const { missing, there } = compared(rows.flatMap(({ isIn, name }) => (isIn ? [name] : [])), present);
    const twice = repeated(missing);
    const long = missing.find((name) => [...name].length > MAX_PUPIL_NAME);
    const problem = long !== undefined ? t('classes.too_long', { most: MAX_PUPIL_NAME, name: long.slice(0, 100) })
        : missing.length > MAX_NAMES ? t('classes.too_many', { names: missing.length, most: MAX_NAMES })
            : missing.length + count > MAX_PUPILS ? t('classes.too_many_in_class', { names: missing.length + count, most: MAX_PUPILS })
                : there.length > 0 && missing.length === 0 ? t('classes.all_there') : missing.length === 0 ? t('classes.no_names') : '';
    const readAs = (cells: boolean): void => {
        setOfCells(cells);
        setTable(readList(text, cells));
        setWritten(new Map());
        setChosen(new Map());
    };

    const use = (at: number, value: string): void => {
        const found = [...nameParts, table.columns[at]].find((each) => each === value);
        setTable({ ...table, columns: table.columns.map((before, each) => (each !== at ? before : found ?? 'other')) });
    };

    return (
        <>
            <p id="previewed">{t('classes.makes', { count: missing.length })}</p>
            <p class="hint">{t('classes.preview_hint')}</p>
            {canBeOfCells && (
                <label class="field check"><input type="checkbox" checked={isOfCells ?? table.columns.length === 1} onChange={({ currentTarget }) => readAs(currentTarget.checked)} /><span>{t('classes.several')}</span></label>
            )}
            <div class="previewed" tabIndex={0} role="region" aria-labelledby="previewed">
                <table>
                    <thead>
                        <tr>
                            <th scope="col"><span class="visually-hidden">{t('classes.row_makes')}</span></th>
                            <th scope="col">{t('classes.pupil_name')}</th>
                            {table.columns.map((column, at) => <ColumnHead key={at} number={at + 1} header={table.header[at] ?? ''} column={column} onUse={(value) => use(at, value)} />)}
                        </tr>
                    </thead>
                    <tbody>
                        {rows.map(({ cells, name, isIn }, at) => (
                            <tr key={at} class={isIn ? undefined : 'out'}>
                                <td><label class="tick"><input type="checkbox" aria-label={t('classes.row_in', { number: at + 1 })} checked={isIn} onChange={({ currentTarget }) => setChosen(new Map([...chosen, [at, currentTarget.checked]]))} /></label></td>
                                <td><input type="text" dir="auto" aria-label={t('classes.row_name', { number: at + 1 })} value={written.get(at) ?? name} onInput={({ currentTarget }) => setWritten(new Map([...written, [at, currentTarget.value]]))} /></td>
                                {table.columns.map((_column, each) => <td key={each} class="pasted"><bdi>{cells[each] ?? ''}</bdi></td>)}
                            </tr>
                        ))}
                    </tbody>
                </table>
            </div>
            {there.length > 0 && missing.length > 0 && <p class="hint">{t('classes.already', { names: there.join(', ') })}</p>}
            {twice.length > 0 && <p class="warning">{t('classes.twice', { names: twice.join(', ') })}</p>}
            <p class="problem" role="alert">{problem}</p>
            <p class="hint" role="status">{isBusy ? t('classes.making') : ''}</p>
            <Form
                fields={[]} submit={t('classes.make_accounts', { count: missing.length })} cancel={{ label: t('classes.back'), onCancel: onBack }}
                onSubmit={async () => {
                    if (problem === '') {
                        setBusy(true);
                        await onSend(missing).finally(() => setBusy(false));
                    }
                }}
            />
        </>
    );
}

interface ColumnHeadProps {
    number: number;
    header: string;
    column: ColumnUse;
    onUse(value: string): void;
}

/** The head of a column: its header, and what it is taken for. */
function ColumnHead({ number, header, column, onUse }: ColumnHeadProps): JSX.Element {
    const { t } = useKit();
    // What it looked like at first is offered afterwards, too.
    const [seen] = useState<ColumnUse>(nameParts.some((part) => part === column) ? 'other' : column);
    const title = header === '' ? t('classes.column', { number }) : header;
    return (
        <th scope="col">
            <bdi>{title}</bdi>
            <select aria-label={title} value={column} onChange={({ currentTarget }) => onUse(currentTarget.value)}>
                {[...nameParts, seen].map((each) => <option key={each} value={each}>{t(`classes.use_${each}`)}</option>)}
            </select>
        </th>
    );
}
