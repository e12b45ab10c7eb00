import type { JSX } from 'preact';

import type { BuiltFiles } from './built-files';
import type { PageContext } from './context';

/** The announcements above a page. They can be read without a script; with one they can be dismissed. */
export function Announcements({ page: { t, announcements }, built }: { page: PageContext; built: BuiltFiles }): JSX.Element | null {
    return announcements.length === 0 ? null : (
        <aside class="announcements" aria-label={t('announcement.label')}>
            <p class="visually-hidden" role="status" />
            {announcements.map(({ id, text, level, until }) => (
                <div key={id} class={`announcement ${level}`} data-id={id} data-until={until}>
                    <p dir="auto">{level === 'warning' && <bdi><strong>{t('announcement.warning')}</strong></bdi>} <span>{text}</span></p>
                    <button type="button" hidden>{t('announcement.dismiss')}</button>
                </div>
            ))}
            <script src={`/site/${built.entries['web/announcements.ts'].file}`} />
        </aside>
    );
}
