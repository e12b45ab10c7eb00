import { guarded } from '../../api/errors/registry';
import type { Errors } from '../../api/errors/registry';
import { operations } from '../../api/description/operation';
import { endsEarly } from '../../api/request/pagination';
import { appealList, statementBody } from '../statements/json';
import { summaryBody } from '../statements/summary';

const forModerators = 'Only moderators can do this. Others get 403.';
const only: Errors = ['forbidden', 'no_account'];

export const appealOperation = operations('Moderation', {
    listAppeals: {
        summary: 'List appeals',
        notes: `Those that nobody has decided on, the oldest first. ${endsEarly} ${forModerators}`,
        answers: { 200: appealList },
        headers: ['Link'],
        errors: only
    },
    decideAppeal: {
        summary: 'Decide on an appeal',
        notes: `\`reversed\` undoes what was decided: the hold or the suspension ends, or what was removed is restored, and reports that led to it count as not followed (\`kept\`). A notice tells the person. Nobody decides about themselves, and on their own decision only if there is no other moderator. ${forModerators}`,
        answers: { 200: statementBody('updated') },
        errors: [...guarded, 'own_decision', 'appeal_decided', 'page_limit', 'element_limit', 'project_size_limit', 'page_size_limit']
    },
    summarizeModeration: {
        summary: 'Read moderation in numbers',
        notes: `Reports, decisions, the time that they took, and appeals, by month. ${forModerators}`,
        answers: { 200: summaryBody },
        errors: only
    }
});
