import { fieldOf } from '../../src/api/json/is-object';
import { likes } from '../conversation/service';
import { client, currentSession } from '../session';
import { loadTexts } from '../texts';

/** Tells an author how many people like the project, if it is one of the newest. Nobody else is told. */
async function showCount(project: string): Promise<void> {
    const { items } = await client().projects.mine({ count: 100 }).page();
    const count = fieldOf(items.find(({ id }) => id === project), 'likes');
    const place = document.querySelector('.likes');
    if (typeof count === 'number' && place !== null) {
        const t = await loadTexts();
        place.textContent = ` · ${t('projects.likes', { count })}`;
    }
}

/** Lets a person like a project, or take that back. */
export async function showLike(button: HTMLButtonElement): Promise<void> {
    const { project = '', author } = button.closest<HTMLElement>('.actions')?.dataset ?? {};
    if (currentSession()?.user.id === author) {
        await showCount(project);
        return;
    }

    let isLiked = await likes.get(project);
    const show = (): void => button.setAttribute('aria-pressed', String(isLiked));
    show();
    button.hidden = false;
    button.addEventListener('click', () => {
        const before = isLiked;
        isLiked = !before;
        show();
        likes.set(project, isLiked).catch(() => {
            isLiked = before;
            show();
            const told = document.querySelector<HTMLElement>('.player .told');
            if (told !== null) {
                told.textContent = told.dataset.failed ?? '';
            }
        });
    });
}
