import './conflict.js';
import './draw.js';
import './history.js';
import './live.js';
import { resume } from './projects.js';
import './pictures.js';
import './saving.js';
import { $, draw } from './state.js';

$('api').value = new URLSearchParams(location.search).get('api') ?? 'http://127.0.0.1:3000';
draw();
resume();
