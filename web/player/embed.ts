import { followKeysAndSwipes } from './keys.js';
import { showLatePage } from './late.js';

showLatePage();
followKeysAndSwipes();
