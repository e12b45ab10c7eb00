import type { RowOf } from '../database/declaration';
import { runOne, statement } from '../database/statements/statement';
import type { Locked } from '../rules/locked';
import { accountsBounded } from './bounds';
import { classOutcomeColumns, classWrite, classWriteTypes, classWriteValues, nextRevision } from './class-write';
import type { ClassWriter } from './class-write';
import { newClassCode, shownCode } from './codes';
import { classJson } from './json';
import type { ClassFields } from './json';

const updatedColumns = {
    ...classOutcomeColumns,
    code: 'text?',
    /** whether what its accounts may make visible has changed */
    bounds: 'boolean'
} as const;

const update = statement({ parameters: [...classWriteTypes, 'text', 'text', 'boolean', 'text', 'text', 'boolean'], row: updatedColumns }, classWrite({
    update: 'update classes c',
    row: 'c',
    set: `title = coalesce($8, c.title), publish = coalesce($9, c.publish), comments = coalesce($10, c.comments), code = coalesce($11, c.code), show = coalesce($12, c.show),
        picture_sign_in = coalesce($13, c.picture_sign_in), ${nextRevision('c')}`,
    columns: 'c.publish,',
    json: classJson,
    returning: `, ${shownCode('c.code')} as code, c.id, c.publish, c.publish <> f.publish as bounds`,
    also: [accountsBounded],
    selecting: `, (select code from written) as code, exists (select from written w where w.bounds) as bounds`
}));

/** Changes a class that is locked. `boundAccounts` has to follow if `bounds`. @param renew whether it gets another code, which ends the one before */
export function updateClass(locked: Locked<'class'>, writer: ClassWriter, fields: Partial<ClassFields>, renew: boolean): Promise<RowOf<typeof updatedColumns> | undefined> {
    const { title, publish, comments, show, picture_sign_in: pictures } = fields;
    const code = renew ? newClassCode() : null;
    return runOne(locked.trx, update, [...classWriteValues(locked, writer), title ?? null, publish ?? null, comments ?? null, code, show ?? null, pictures ?? null]);
}
