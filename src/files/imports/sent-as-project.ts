import type { Request } from '@hapi/hapi';

import { mediaTypeOf } from '../../api/request/media-type';
import { storyTypes } from './stories';

declare module '@hapi/hapi' {
    interface RequestApplicationState {
        /** whether it was sent to where projects are created, so that the response is as theirs */
        createsProject?: boolean;
    }
}

/** The path of POST /users/{user}/projects, without its last part. */
const beforeProjects = /^(\/users\/[^/]+)\/projects\/?$/;

/**
 * Stage: a story that is sent to POST /users/{user}/projects goes the way of an import from here on, with its bounds, its cost and its own way to read a body. hapi has
 * one handler for a method and a path, and reads the body in the same way for all types. Other requests only have their method looked at, and their type if it is POST.
 */
export function importStory(request: Request): void {
    const { method, headers, path } = request;
    if (method !== 'post' || !storyTypes.has(mediaTypeOf(headers['content-type']))) {
        return;
    }

    const [, user] = beforeProjects.exec(path) ?? [];
    if (user !== undefined) {
        request.app.createsProject = true;
        request.setUrl(`${user}/imports${request.url.search}`);
    }
}
