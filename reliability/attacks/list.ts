import type { Attack } from './attack';
import { bodies } from './bodies';
import { bulks } from './bulks';
import { callers } from './callers';
import { files } from './files';
import { readers } from './readers';
import { requests } from './requests';
import { shapesAttacks } from './shapes';
import { sizes } from './sizes';

/** All attacks. Those with the same settings are next to each other, so that they share a service. */
export const attacks: readonly Attack[] = [...sizes, ...bulks, ...readers, ...bodies, ...requests, ...shapesAttacks, ...callers, ...files];
