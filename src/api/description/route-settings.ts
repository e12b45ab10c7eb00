import Joi from 'joi';

import { operations } from './operation';
import { version } from './version';

export const descriptionOperation = operations('Service', {
    getDescription: {
        summary: 'Read this description',
        notes: 'OpenAPI 3.1 as JSON. `/docs` shows it in a browser, where it can be tried out.',
        answers: { 200: Joi.object().unknown().description('An OpenAPI document.').example({ openapi: '3.1.1', info: { title: 'Pagewright', version }, paths: {} }) },
        headers: ['ETag']
    }
});
