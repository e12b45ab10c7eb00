import { bodyOf } from '../representations/shapes';
import { operations } from '../description/operation';

const well = bodyOf('success', {});

export const healthOperation = operations('Service', {
    getHealth: {
        summary: 'Check that the service is running',
        notes: 'This does not use the database.',
        answers: { 200: well }
    },
    getReadiness: {
        summary: 'Check that the service is ready',
        notes: '200 if the database can be reached and takes writes, its schema is up to date, and this instance is not shutting down. Otherwise `message` says what is missing.',
        answers: { 200: well },
        errors: ['migrations_pending', 'shutting_down']
    }
});
