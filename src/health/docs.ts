import { bodyOf } from '../representations/shapes';
import { operations } from '../openapi/operation';

const well = bodyOf('success', {});

export const operation = operations('Service', {
    getHealth: {
        summary: 'Ask whether the service is alive',
        notes: 'It does not ask the database.',
        answers: { 200: well }
    },
    getReadiness: {
        summary: 'Ask whether the service can do its work',
        notes: 'The database can be reached, its schema is up to date, and the instance is not about to end.',
        answers: { 200: well },
        errors: ['migrations_pending', 'shutting_down']
    }
});
