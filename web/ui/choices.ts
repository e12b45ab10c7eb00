import { useEffect, useReducer } from 'preact/hooks';

import { memberRoles } from '../../src/api/representations/roles';
import type { MemberRole } from '../../src/api/representations/roles';
import { visibilities } from '../../src/api/representations/visibility';
import type { Visibility } from '../../src/api/representations/visibility';

/** The role that was chosen in a form; the first one if it is none. */
export const memberRoleOf = (value: unknown): MemberRole => memberRoles.find((role) => role === value) ?? memberRoles[0];

/** Who can be let see what one makes: for accounts that a class bounds, nobody else. Which those are is known once the service has answered (page.ts). */
export function useVisibilities(): readonly Visibility[] {
    const [, again] = useReducer<number, void>((count) => count + 1, 0);
    useEffect(() => {
        const observer = new MutationObserver(() => again());
        observer.observe(document.documentElement, { attributeFilter: ['class'] });
        return () => observer.disconnect();
    }, []);
    return document.documentElement.classList.contains('bounded') ? ['private'] : visibilities;
}

export const isVisibility = (value: string): value is Visibility => visibilities.some((each) => each === value);
