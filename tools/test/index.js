'use strict';

require('./typescript').register();
require('./main.ts');
