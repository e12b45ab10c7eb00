import { render } from 'preact';

import { loadTexts } from '../texts.js';

const root = document.querySelector('#root');
if (root !== null) {
    const t = await loadTexts();
    render(<p>{t('page.loading')}</p>, root);
}
