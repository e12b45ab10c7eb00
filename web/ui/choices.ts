import { memberRoles } from '../../src/api/representations/roles';
import type { MemberRole } from '../../src/api/representations/roles';
import { visibilities } from '../../src/api/representations/visibility';
import type { Visibility } from '../../src/api/representations/visibility';

/** The role that was chosen in a form; the first one if it is none. */
export const memberRoleOf = (value: unknown): MemberRole => memberRoles.find((role) => role === value) ?? memberRoles[0];

export const isVisibility = (value: string): value is Visibility => visibilities.some((each) => each === value);
