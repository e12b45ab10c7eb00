/** What the header of a column of names can be, in the languages of the site and in OneRoster: in small letters, without blanks and signs. */
const headers = {
    whole: ['fullname', 'pupil', 'pupilname', 'student', 'studentname', 'nombrecompleto', 'alumno', 'alumna', 'alumnos', 'estudiante', 'nomecompleto', 'aluno', 'aluna', 'alunos', 'estudante', 'фио', 'полноеимя', 'ученик', 'ученики', 'учащийся', 'студент', 'الاسمالكامل', 'الطالب', 'اسمالطالب', 'التلميذ', 'اسمالتلميذ'],
    // Some of these stand for the whole name if there is no other column.
    part: [
        'name', 'names', 'firstname', 'givenname', 'forename', 'lastname', 'surname', 'familyname', 'nombre', 'nombres', 'apellido', 'apellidos', 'primerapellido', 'segundoapellido', 'nome', 'nomes', 'primeironome', 'sobrenome', 'apelido',
        'имя', 'имена', 'фамилия', 'الاسم', 'الأسماء', 'اسم', 'الاسمالأول', 'اسمالعائلة', 'اللقب', 'الكنية'
    ]
} as const;

const wordOf = (cell: string): string => cell.normalize('NFC').toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');

/** What columns of `users.csv` of OneRoster say of a pupil who is there, as an empty cell does. In version 1.2, the roles of people are in another file. */
const ofPupils = new Map([['role', 'student'], ['status', 'active'], ['enableduser', 'true']]);

/** The rows of pupils: all, unless the table is a roster of OneRoster. */
export function rowsOfPupils<Row extends readonly string[]>(header: readonly string[], rows: readonly Row[]): readonly Row[] {
    const columns = header.map(wordOf);
    return !columns.includes('sourcedid') ? rows : rows.filter((row) => columns.every((column, at) => {
        const cell = (row[at] ?? '').trim().toLowerCase();
        return cell === '' || cell === (ofPupils.get(column) ?? cell);
    }));
}

/** A cell with a separator is a row that was read with another one. */
const isOne = (words: readonly string[], cell: string): boolean => !/[\t,;]/.test(cell) && words.includes(wordOf(cell));

/** The columns that a name is made of, in the order of the row; none if the row is no header. */
export function nameColumns(row: readonly string[]): number[] {
    const whole = row.findIndex((cell) => isOne(headers.whole, cell));
    return whole >= 0 ? [whole] : row.flatMap((cell, at) => (isOne(headers.part, cell) ? [at] : []));
}
