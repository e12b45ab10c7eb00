import { followKeysAndSwipes } from './keys.js';

followKeysAndSwipes();
