import { render } from 'preact';
import type { JSX } from 'preact';

import type { Client } from '../../client/src/index.js';
import { fieldOf } from '../../src/api/json/is-object';
import type { Translate } from '../../src/site/text-options';
import { client as theClient, signInAddress } from '../session.js';
import { canStore } from '../storage.js';
import { loadTexts } from '../texts.js';
import { App } from './app.js';
import { caughtUp, Ids } from './document.js';
import type { Doc } from './document.js';
import { Editor } from './editor.js';
import type { Role } from './own-role.js';
import { showOwnPictures } from './uploads.js';
import './editor.css';

/** A page with one message, and what can be done. */
function Message({ text, actions }: { text: string; actions: readonly (readonly [label: string, act: string | (() => void)])[] }): JSX.Element {
    return (
        <main class="message" id="content">
            <h1>{text}</h1>
            <p class="choices">{actions.map(([label, act]) => (typeof act === 'string' ? <a key={label} class="button" href={act}>{label}</a> : <button key={label} type="button" onClick={act}>{label}</button>))}</p>
        </main>
    );
}

/** Reads a project whole, and what the reader may do with it: null is to look at it. */
async function read(client: Client, id: string): Promise<{ doc: Doc; role: Role | null }> {
    const project = await client.projects.get(id);
    const me = client.session?.user;
    const [everything, role] = await Promise.all([
        client.history.since(project, 0),
        project.user_id === me?.id ? 'owner' as const : client.members.list(project).then((members) => members.find(({ user }) => user.id === me?.id)?.role ?? null, () => null)
    ]);
    return { doc: caughtUp({ project: { ...project, revision: everything.revision }, pages: [] }, everything, 0, new Ids()), role };
}

async function start(root: Element): Promise<void> {
    const client = theClient();
    const id = /^\/edit\/(\d+)/.exec(location.pathname)?.[1] ?? '';
    const [t, found]: [Translate, Awaited<ReturnType<typeof read>> | unknown] = await Promise.all([loadTexts(), read(client, id).catch((error: unknown) => error)]);
    const show = (content: JSX.Element): void => {
        root.replaceChildren();
        render(content, root);
    };

    if (!canStore()) {
        show(<Message text={t('page.needs_storage')} actions={[[t('editor.try_again'), () => location.reload()], [t('missing.back'), '/']]} />);
        return;
    }

    if (client.session === null) {
        show(<Message text={t('editor.sign_in_first')} actions={[[t('page.sign_in'), signInAddress()]]} />);
        return;
    }

    if (!isRead(found)) {
        const isMissing = fieldOf(found, 'status') === 404;
        show(<Message text={t(isMissing ? 'missing.text' : 'editor.no_connection')} actions={[isMissing ? [t('missing.back'), '/'] : [t('editor.try_again'), () => location.reload()]]} />);
        return;
    }

    const { doc, role } = found;
    if (role === null) {
        const remix = (): void => void client.projects.remix(doc.project, { visibility: 'private' }).then((made) => location.assign(`/edit/${made.id}`), () => location.reload());
        show(<Message text={t('editor.not_yours', { title: doc.project.title })} actions={[[t('editor.remix'), remix], [t('editor.play'), `/p/${doc.project.id}`]]} />);
        return;
    }

    const editor = new Editor(client, doc, role, t, location.hash.slice(1));
    await Promise.all([editor.saving.ready, editor.uploads.ready]);
    showOwnPictures(client);
    show(<App editor={editor} />);
}

function isRead(found: unknown): found is Awaited<ReturnType<typeof read>> {
    return typeof found === 'object' && found !== null && 'doc' in found;
}

const root = document.querySelector('#root');
if (root !== null) {
    await start(root);
}
