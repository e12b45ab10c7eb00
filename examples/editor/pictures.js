import { add, onPage } from './saving.js';
import { $, act, state } from './state.js';

// ---- Pictures by file picker, paste and drop: sent first, then an element refers to them

/** A picture is placed where it was dropped, at most so wide. */
const WIDEST = 280;

const place = (files, left = 20, top) => act('Sending', null, async () => {

    const pictures = [...files].filter(({ type }) => type.startsWith('image/'));
    if (pictures.length === 0) {
        return 'There is no picture in that.';
    }

    let words;
    for (const [n, file] of pictures.entries()) {
        const src = await state.client.assets.upload(file);
        words = await add({
            pageId: state.page.id, type: 'image', attributes: { src, alt: file.name ?? '' },
            styles: { left: left + n * 20, top: (top ?? 20 + state.page.elements.length * 40) + n * 20, width: WIDEST }
        }, 'Added the picture.');
    }

    return words;
});

$('new-picture').addEventListener('change', ({ target }) => {

    // A list of files is emptied with its input.
    const files = [...target.files];
    target.value = '';
    place(files);
});
addEventListener('paste', (event) => {

    if (onPage() && event.clipboardData.files.length > 0) {
        event.preventDefault();
        place(event.clipboardData.files);
    }
});
$('stage').addEventListener('dragover', (event) => event.preventDefault());
$('stage').addEventListener('drop', (event) => {

    event.preventDefault();
    if (onPage()) {
        const { left, top } = $('stage').getBoundingClientRect();
        place(event.dataTransfer.files, Math.round(event.clientX - left), Math.round(event.clientY - top));
    }
});
