import type { JSX } from 'preact';

import { usernameKey } from '../../src/api/representations/username';
import { href } from '../ui/kit';
import type { Named } from './service';

/** A pattern for what may be the name of somebody, with the sign before it. */
const names = /(@[\p{L}\p{M}\p{N}_-]+)/u;

/** The text of a comment: nothing in it is a link but the names of people whom it mentions, so no child is led elsewhere by a tap. */
export function Words({ text, mentions }: { text: string; mentions: readonly Named[] }): JSX.Element {
    const known = new Map(mentions.map(({ username }) => [usernameKey(username), username]));
    return (
        <p class="words">
            {text.split(names).map((part) => {
                const username = part.startsWith('@') ? known.get(usernameKey(part.slice(1))) : undefined;
                return username === undefined ? part : <a href={href(`/u/${encodeURIComponent(username)}`)}><bdi>{part}</bdi></a>;
            })}
        </p>
    );
}
