import { assistants } from './assistants';
import type { Attack } from './attack';
import { authors } from './authors';
import { bodies } from './bodies';
import { bulks } from './bulks';
import { callers } from './callers';
import { choicesAttacks } from './choices';
import { classes } from './classes';
import { fairness } from './fairness';
import { guests } from './guests';
import { readers } from './readers';
import { requests } from './requests';
import { secrets } from './secrets';
import { shapesAttacks } from './shapes';
import { sizes } from './sizes';
import { uploads } from './uploads';

/** All attacks. Those with the same settings are next to each other, so that they share a service. */
export const attacks: readonly Attack[] = [...guests, ...uploads, ...authors, ...secrets, ...sizes, ...bulks, ...readers, ...bodies, ...requests, ...shapesAttacks, ...assistants, ...classes, ...fairness, ...choicesAttacks, ...callers];
