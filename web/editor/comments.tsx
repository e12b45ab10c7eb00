import type { JSX } from 'preact';

import { Conversation } from '../conversation/conversation.js';
import { KitContext } from '../ui/kit.js';
import { Dialog } from './dialog.js';
import { inOrder } from './document.js';
import type { Editor } from './editor.js';

/** The comments about the element that is chosen, or about the page that is shown. */
export function CommentsDialog({ editor, close }: { editor: Editor; close: () => void }): JSX.Element {
    const { t, client, doc: { project }, page, selection: { items: [item, ...others] } } = editor;
    // What is made just now, the service does not know yet.
    const known = (id: string | undefined): string | undefined => [editor.there(id) ?? ''].find((each) => /^\d+$/.test(each));
    const [here, element] = [known(page?.id), others.length === 0 ? known(item?.id) : undefined];
    const title = item !== undefined && element !== undefined ? t('editor.comments_on', { name: editor.nameOf(item) })
        : t('editor.comments_on_page', { number: page === undefined ? 0 : editor.numberOfPage(page) });
    return (
        <Dialog title={title} closeLabel={t('editor.close')} close={close}>
            {here === undefined ? <p>{t('editor.comments_later')}</p> : (
                <KitContext.Provider value={{ t, client, language: document.documentElement.lang, say: editor.say }}>
                    <Conversation project={{ id: project.id, owner: project.user_id }}
                        pages={inOrder(editor.pages).map(({ id }) => known(id) ?? '')} page={here} about={element === undefined
                            ? { page: here } : { page: here, element }} />
                </KitContext.Provider>
            )}
        </Dialog>
    );
}
