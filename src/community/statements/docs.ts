import { guarded, missing, onceErrors } from '../../api/errors/registry';
import { operations } from '../../api/description/operation';
import { APPEAL_DAYS } from '../../limits';
import { statementBody, statementList } from './json';

export const statementOperation = operations('Statements', {
    listStatements: {
        summary: 'List what moderators decided about oneself',
        notes: `Each hold, removal and suspension, with its reasons, newest first. Only the user concerned can read it, also while they are suspended.`,
        answers: { 200: statementList },
        headers: ['Link'],
        errors: [...missing, 'forbidden', 'no_account']
    },
    appeal: {
        summary: 'Appeal against a decision',
        notes: `Once for each decision, within ${APPEAL_DAYS} days, also while suspended. Another moderator than the one who decided looks at it, where there is one, and a notice tells what came of it. The decision stands meanwhile.`,
        answers: { 201: statementBody('created') },
        errors: onceErrors(...guarded, 'appealed', 'appeal_closed')
    }
});
