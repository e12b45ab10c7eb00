import type { JSX } from 'preact';

import { usernameKey } from '../api/representations/username';

const grounds = ['#f6c177', '#9ccfd8', '#c4a7e7', '#a3d9a5', '#f2a7b5', '#9db8f2'] as const;
const skins = ['#f7d7bd', '#e8b48c', '#c98b5e', '#9a6240', '#6b4229'] as const;
const hairs = ['#2b2118', '#5a3a22', '#a8622a', '#d9a441', '#7a3e9d', '#2560a8', '#b0305c'] as const;

/** Hair on a head around (32, 34). */
const cuts = [
    'M15 34C13 16 22 9 32 9s19 7 17 25c-3-9-8-12-17-12s-14 3-17 12z',
    'M14 46C10 18 20 8 32 8s22 10 18 38c-3-2-3-16-5-22-9 2-19 0-24-5-2 9-3 25-7 27z',
    'M17 27l-3-9 8 2 2-10 8 6 8-6 2 10 8-2-3 9c-9-7-21-7-30 0z',
    'M15 32c-6-4-3-12 2-13 0-8 9-11 15-7 6-4 15-1 15 7 5 1 8 9 2 13-3-8-8-10-17-10s-14 2-17 10z'
] as const;

const mouths = ['M25 43q7 7 14 0', 'M26 44h12', 'M25 42q7 11 14 0z', 'M27 44q5 4 10-1'] as const;

/** Eyes: dots, large ones, and ones that smile. */
const eyes = [
    <path d="M25 33v2M39 33v2" stroke-width="4" />,
    <path d="M25 33v3M39 33v3" stroke-width="5.5" />,
    <path d="M22 35q3-4 6 0M36 35q3-4 6 0" fill="none" stroke-width="2.5" />
] as const;

/** A number for each feature of a face: the hash FNV-1a (32 bits) of the name and the feature, with its upper bits, which are the better mixed. */
function numberOf(name: string): number {
    let hash = 0x811c9dc5;
    for (const letter of name) {
        hash = Math.imul(hash ^ Number(letter.codePointAt(0)), 0x01000193);
    }

    return Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 8;
}

interface FaceProps {
    username: string;
    /** in pixels */
    size: number;
}

/** A face drawn by a username, the same at every time and in every place. The name stands beside it, so screen readers leave it out. */
export function Face({ username, size }: FaceProps): JSX.Element {
    const pick = <One,>(feature: string, choices: readonly One[]): One | undefined => choices[numberOf(`${usernameKey(username)} ${feature}`) % choices.length];
    return (
        <svg class="face" viewBox="0 0 64 64" width={size} height={size} aria-hidden="true">
            <rect width="64" height="64" rx="32" fill={pick('ground', grounds)} />
            <ellipse cx="32" cy="36" rx="16" ry="18" fill={pick('skin', skins)} />
            <path d={pick('cut', cuts)} fill={pick('hair', hairs)} />
            <g stroke="#241408" stroke-linecap="round">
                {pick('eyes', eyes)}
                <path d={pick('mouth', mouths)} fill="none" stroke-width="2.5" />
            </g>
        </svg>
    );
}
