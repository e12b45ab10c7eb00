import { keepFocus } from './focus.js';
import { followKeysAndSwipes } from './keys.js';
import { showLatePage } from './late.js';

showLatePage();
followKeysAndSwipes();
keepFocus();
