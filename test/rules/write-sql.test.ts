import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

export const lab = Lab.script();
const { describe, it } = lab;

const src = join(__dirname, '../../src');

describe('writes', () => {
    it('to projects, pages and elements are in rules/write-sql.ts, except for what changes no revision and what deletes for good', () => {
        const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
        const writing = files.filter((file) => /\b(?:insert into|update|delete from) (?:\$\{|(?:projects|pages|elements)\b)|\bupdateProjects\(/.test(readFileSync(join(src, file), 'utf8')));
        expect(writing.sort()).to.equal([
            'accounts/webhooks/queries.ts', 'classes/bounds.ts', 'community/moderation/automatic.ts', 'community/moderation/holds.ts', 'community/people.ts', 'database/jobs/lease.ts', 'files/thumbnails/queries.ts', 'files/thumbnails/redraw.ts', 'operations/maintenance/purge.ts', 'projects/fragments.ts', 'projects/trash/queries.ts', 'rules/credits.ts', 'rules/made-things.ts', 'rules/write-sql.ts'
        ]);
    });
});
