import { only, removers, writers } from './privacy';
import type { Body, Callers } from './route';

/** What the tests expect of an action of a bulk, in which it is the only one. */
export interface Action extends Callers {
    /** the fields of its data that it accepts */
    takes: readonly string[];
    data: Body;
}

/** A bulk of one action. */
export const bulkOf = (action: string, data: object): object => {
    const [type, method] = action.split(' ');
    return { actions: [{ type, method, data }] };
};

/** Who sees a project is the owner's to say. */
const hides: Body = ({ project }) => bulkOf('projects update', { id: project, visibility: 'unlisted' });

/** By the type of thing and the method. */
export const actions: Readonly<Record<`${'projects' | 'pages' | 'elements'} ${'create' | 'update' | 'remove'}`, Action>> = {
    'projects create': {
        callers: '403 200 403 403', me: '200 200 200 200', privacy: null,
        takes: ['title', 'description', 'thumbnail'], data: () => ({ title: 'New' })
    },
    'projects update': {
        callers: '403 200 403 403', me: '403 200 403 403', privacy: [only(200, ...writers), { as: 'visibility', expected: only(200, 'owner'), body: hides }],
        takes: ['id', 'title', 'description', 'thumbnail', 'revision'], data: ({ project }) => ({ id: project, title: 'Changed' })
    },
    'projects remove': {
        callers: '403 200 403 403', me: '403 200 200 403', privacy: only(200, 'owner', 'moderator'),
        takes: ['id'], data: ({ project }) => ({ id: project })
    },
    'pages create': {
        callers: '403 200 403 403', me: '403 200 403 403', privacy: only(200, ...writers),
        takes: ['projectId', 'x', 'y', 'styles'], data: ({ project }) => ({ projectId: project, x: 1, y: 1 })
    },
    'pages update': {
        callers: '403 200 403 403', me: '403 200 403 403', privacy: only(200, ...writers),
        takes: ['id', 'x', 'y', 'styles', 'revision'], data: ({ page }) => ({ id: page, x: 5 })
    },
    'pages remove': {
        callers: '403 200 403 403', me: '403 200 200 403', privacy: only(200, ...removers),
        takes: ['id'], data: ({ page }) => ({ id: page })
    },
    'elements create': {
        callers: '403 200 403 403', me: '403 200 403 403', privacy: only(200, ...writers),
        takes: ['pageId', 'type', 'attributes', 'styles'], data: ({ page }) => ({ pageId: page, type: 'image' })
    },
    'elements update': {
        callers: '403 200 403 403', me: '403 200 403 403', privacy: only(200, ...writers),
        takes: ['id', 'attributes', 'styles', 'revision'], data: ({ element }) => ({ id: element, styles: { top: 1 } })
    },
    'elements remove': {
        callers: '403 200 403 403', me: '403 200 200 403', privacy: only(200, ...removers),
        takes: ['id'], data: ({ element }) => ({ id: element })
    }
};
