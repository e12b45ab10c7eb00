import type { Expectations, Routes } from './route';

/** A route for everybody. */
const open: Expectations = { scope: '', cost: 'cheap', limit: null, origin: 'later', cache: 'usual', callers: '200', me: null, privacy: null };

/** The service itself, and what browsers load of it. */
export const service: Routes = {
    'GET /health': open,
    'GET /ready': open,
    'GET /openapi.json': open,
    'GET /': { ...open, callers: '302' },
    'GET /docs': open,
    'GET /docs/docs.css': open,
    'GET /docs/docs.js': open,
    'GET /docs/errors': open,
    'GET /docs/favicon-32x32.png': open,
    'GET /docs/swagger-ui-bundle.js': open,
    'GET /docs/swagger-ui.css': open,
    'GET /schemas/project.json': { ...open, cache: 'public, max-age=300' },
    'GET /schemas/history.json': { ...open, cache: 'public, max-age=300' },
    'GET /schemas/elements.json': { ...open, cache: 'public, max-age=300' },
    'GET /client/{file}': { ...open, origin: 'any' },
    'GET /client/{version}/{file}': { ...open, origin: 'any', cache: 'public, max-age=31536000, immutable' }
};
