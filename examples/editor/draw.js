import { open } from './projects.js';
import { change } from './saving.js';
import { $, act, draw, node, onDraw, state } from './state.js';

const lengths = new Set(['left', 'top', 'width', 'height', 'fontSize', 'padding', 'borderRadius']);
const looks = [...lengths, 'color', 'backgroundColor', 'fontFamily', 'fontWeight', 'fontStyle', 'textAlign', 'textDecoration', 'lineHeight', 'letterSpacing', 'whiteSpace', 'writingMode', 'direction', 'border', 'opacity', 'transform', 'imageRendering', 'zIndex'];

/** Fills the form from the selected element; not on every draw, because that would disturb typing. */
export const fill = () => {

    const { attributes = {}, styles = {} } = state.element ?? {};
    Object.entries({ text: attributes.text ?? attributes.alt ?? '', left: styles.left ?? 0, top: styles.top ?? 0, size: styles.fontSize ?? 16 }).forEach(([name, value]) => {
        $(`element-${name}`).value = value;
    });
    $('element-text').disabled = state.element?.type === 'image';
};

const choose = (element) => {

    state.element = element;
    fill();
    draw();
};

/** An element as everybody sees it. */
const picture = ({ attributes, styles, type }) => {

    const drawn = type === 'image'
        ? node('img', { src: state.client.assets.resolve(String(attributes.src), { width: 640 }), alt: attributes.alt ?? '', draggable: false })
        : node('div', { textContent: attributes.text ?? '', dir: attributes.dir ?? 'auto', lang: attributes.lang ?? '' });
    for (const look of looks.filter((one) => one in styles)) {
        drawn.style[look] = lengths.has(look) && typeof styles[look] === 'number' ? `${styles[look]}px` : styles[look];
    }

    return drawn;
};

/** An element that can be chosen, and moved by dragging or with the arrow keys. */
const drawElement = (element) => {

    const { attributes, styles, type } = element;
    const drawn = picture(element);
    Object.assign(drawn, { id: `element-${element.id}`, tabIndex: 0, className: state.dirty.has(element.id) ? 'unsaved' : '' });
    Object.assign(drawn.dataset, { elementId: element.id, type, revision: element.revision });
    drawn.setAttribute('role', 'button');
    drawn.setAttribute('aria-pressed', String(element === state.element));
    if (type === 'image') {
        drawn.setAttribute('aria-label', attributes.alt ?? 'image');
    }

    const move = (left, top) => {
        change(element, {}, { left: Math.round(left), top: Math.round(top) });
        if (state.element === element) {
            fill();
        }
    };

    drawn.onkeydown = (event) => {
        const [x, y] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key] ?? [0, 0];
        const step = event.shiftKey ? 10 : 1;
        if (x || y) {
            event.preventDefault();
            choose(element);
            move((styles.left ?? 0) + x * step, (styles.top ?? 0) + y * step);
        }
        else if (event.key === 'Enter' || event.key === ' ') {
            event.preventDefault();
            choose(element);
        }
    };

    drawn.onpointerdown = (down) => {
        const [left, top] = [element.styles.left ?? 0, element.styles.top ?? 0];
        const drag = (event) => {
            if (event.buttons && Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) > 3) {
                move(left + event.clientX - down.clientX, top + event.clientY - down.clientY);
            }
        };

        const drop = () => {
            removeEventListener('pointermove', drag);
            removeEventListener('pointerup', drop);
            removeEventListener('pointercancel', drop);
        };

        addEventListener('pointermove', drag);
        addEventListener('pointerup', drop);
        addEventListener('pointercancel', drop);
        choose(element);
    };

    return drawn;
};

const drawPages = () => {

    const { pages, page } = state.past ?? state;
    const [xs, ys] = ['x', 'y'].map((axis) => [...new Set(pages.map((one) => one[axis]))].sort((a, b) => a - b));
    $('grid').replaceChildren(...pages.map((one) => {
        const onclick = () => {
            (state.past ?? state).page = one;
            choose(null);
        };

        const button = node('button', { type: 'button', id: `page-${one.id}`, textContent: `${one.x}, ${one.y}`, onclick }, { pageId: one.id, x: one.x, y: one.y });
        Object.assign(button.style, { gridColumn: xs.indexOf(one.x) + 1, gridRow: ys.indexOf(one.y) + 1 });
        button.setAttribute('aria-current', String(one.id === page?.id));
        return button;
    }));
    $('stage').style.backgroundColor = page?.styles.backgroundColor ?? '#ffffff';
    $('stage').classList.toggle('past', Boolean(state.past));
    $('stage').replaceChildren(...(page?.elements ?? []).map(state.past ? picture : drawElement));
};

/** What is saved, and what waits. */
const drawQueue = () => {

    const { state: now, waiting } = state.queue?.status ?? { state: 'idle', waiting: 0 };
    const saves = `${waiting} ${waiting === 1 ? 'edit waits' : 'edits wait'}`;
    $('queue').textContent = { idle: 'All saved.', sending: 'Saving …', offline: `No connection: ${saves}.`, 'signed-out': `${saves} for you to sign in.`, failed: `${saves} for your decision.` }[now];
    $('queue').classList.toggle('waits', now !== 'idle' && now !== 'sending');
};

onDraw(() => {

    const { user, project, page, element, dirty, past } = state;
    const focused = document.activeElement?.id;
    $('entrance').hidden = Boolean(user);
    $('session').hidden = $('shelf').hidden = !user;
    $('desk').hidden = $('tools').hidden = !user || !project;
    $('who').textContent = user?.username ?? '';
    $('more-projects').hidden = !state.list;
    $('projects').replaceChildren(...(user ? state.projects : []).map((one) => {
        const button = node('button', { type: 'button', id: `project-${one.id}`, textContent: one.title, onclick: () => act('Opening', 'Opened.', () => open(one)) }, { projectId: one.id });
        button.setAttribute('aria-current', String(one.id === project?.id));
        const item = node('li');
        item.append(button);
        return item;
    }));
    $('project-name').textContent = project ? `${project.title}${project.remixed_from ? ` (a remix of ${project.remixed_from})` : ''}` : '';
    drawPages();
    drawQueue();
    $('page-form').hidden = $('save-tools').hidden = Boolean(past);
    $('text-form').parentElement.hidden = !page || Boolean(past);
    $('element-tools').hidden = !element || Boolean(past);
    const count = dirty.size + (project && $('project-title').value !== project.title ? 1 : 0);
    $('unsaved').textContent = count ? `${count} unsaved ${count === 1 ? 'change' : 'changes'}.` : 'Nothing to save.';
    $('save-all').disabled = !count;
    $('delete-page').disabled = !page;
    if (focused && document.activeElement?.id !== focused) {
        $(focused)?.focus();
    }
});
