import type { Client, QueueFailure } from '../../client/src/index.js';
import type { Translate } from '../../src/site/text-options';
import { wordsOf } from '../../client/src/render/webmaker';
import { Adding } from './adding.js';
import { Arranging } from './arranging.js';
import type { Past } from './core.js';
import { Deciding } from './deciding.js';
import { inOrder } from './document.js';
import type { Doc, Item, Sheet } from './document.js';
import { Earlier } from './earlier.js';
import { wordsOfError, wordsOfFile } from './error-words.js';
import { KeptVersions } from './kept.js';
import { OwnRole } from './own-role.js';
import type { Role } from './own-role.js';
import { Paging } from './paging.js';
import { unseen } from './placing.js';
import type { View } from './placing.js';
import { Presence } from './presence.js';
import type { PresenceState } from './presence.js';
import { Saving } from './saving.js';
import type { SavingState } from './saving.js';
import { ElementSelection } from './selection.js';
import { Typing } from './typing.js';
import { Undoing } from './undoing.js';
import { Uploads } from './uploads.js';

/** Everything that the editor can do; what is on the screen calls it and is told when something has changed. */
export class Editor {
    readonly client: Client;
    readonly saving: Saving;
    readonly undoing: Undoing;
    readonly kept: KeptVersions;
    readonly deciding: Deciding;
    readonly uploads: Uploads;
    readonly presence: Presence;
    readonly selection = new ElementSelection(this, () => this.#selected());
    readonly typing = new Typing(this, () => this.#notify());
    readonly adding = new Adding(this);
    readonly arranging = new Arranging(this);
    readonly paging = new Paging(this);
    readonly earlier = new Earlier(this);
    readonly t: Translate;
    /** id of the page that is shown */
    pageId: string | undefined;
    /** Whether a touch adds to what is chosen. */
    choosesSeveral = false;
    /** Whether the panel is open on a phone, where there is no room for it beside the page. */
    panelOpen = false;
    /** Whether something is dragged: until it ends, only the page is drawn. */
    dragging = false;
    past: Past | null = null;
    gone = false;
    /** what was done last, for people who do not see the screen */
    message = '';
    /** what failed last, until it is closed or something else is tried */
    problem = '';
    /** the page on the screen, once there is one */
    view: View = unseen;
    readonly #role: OwnRole;
    readonly #listeners = new Set<() => void>();

    constructor(client: Client, doc: Doc, role: Role, t: Translate, pageId: string | undefined) {
        this.client = client;
        this.t = t;
        this.#role = new OwnRole(client, doc.project, role, (other) => this.#roleChanged(other));
        this.pageId = doc.pages.some(({ id }) => id === pageId) ? pageId : inOrder(doc.pages)[0]?.id;
        this.saving = new Saving(client, doc, (username) => this.say(t('editor.changed_by', { name: username ?? t('editor.somebody') })), () => this.#end());
        this.undoing = new Undoing(client, this.saving);
        this.kept = new KeptVersions(client.session?.user.id, doc.project.id);
        this.saving.subscribe(() => this.check());
        this.deciding = new Deciding(this);
        this.uploads = new Uploads(client, () => (this.deciding.look(), this.#notify()), (name, error) => this.#fail(wordsOfFile(name, error, t)));
        this.saving.subscribe(() => this.deciding.look());
        this.presence = new Presence(client, doc.project, () => this.#where, (arrived) => (arrived.length === 0 ? this.#notify() : arrived.forEach(({ user }) => this.say(t('editor.joined', { name: user.username })))));
        this.subscribe(() => this.presence.moved());
    }

    get role(): Role {
        return this.#role.role;
    }

    /** Looks whether one may still edit. */
    checkRole(): Promise<void> {
        return this.#role.check();
    }

    #roleChanged(role: Role | null): void {
        if (role === null) {
            this.#end();
            this.say(this.t('editor.gone'));
        }

        this.#notify();
    }

    /** The project is gone, or the right to edit it. */
    #end(): void {
        this.gone = true;
        this.#role.close();
        this.saving.forget();
        this.presence.close();
        this.#notify();
    }

    /** where one is, for the others: what is made just now, they do not see yet */
    get #where(): PresenceState | null {
        const known = (id: string | undefined): string[] => [this.there(id) ?? ''].filter((one) => /^\d+$/.test(one));
        return this.role === 'viewer' ? null : { page: (this.past === null ? known(this.page?.id)[0] : undefined) ?? null, selected: [...this.selection.ids].flatMap(known) };
    }

    /** The edits that could not be saved, and that the author has to decide about. */
    get question(): QueueFailure | null {
        return this.deciding.question;
    }

    closeNotice(): void {
        this.deciding.close();
        this.#notify();
    }

    subscribe = (listener: () => void): () => void => {
        this.#listeners.add(listener);
        return () => void this.#listeners.delete(listener);
    };

    #notify(): void {
        this.#listeners.forEach((listener) => listener());
    }

    /** Lets go of what is not there any more. */
    check(): void {
        const { pages } = this.saving.doc;
        if (!pages.some(({ id }) => id === this.pageId)) {
            this.pageId = inOrder(pages)[0]?.id;
        }

        this.selection.check();
        this.#notify();
    }

    say = (message: string): void => {
        // The same words again are told again.
        this.message = message === this.message ? `${message}\u00a0` : message;
        this.#notify();
    };

    /** Shows what failed, until it is closed or something else is tried. */
    #fail(problem: string): void {
        this.problem = problem;
        this.say(problem);
    }

    tellProblem = (problem: string): void => this.#fail(problem);

    closeProblem(): void {
        this.problem = '';
        this.#notify();
    }

    get doc(): Doc {
        return this.saving.doc;
    }

    get pages(): readonly Sheet[] {
        return this.past?.pages ?? this.doc.pages;
    }

    get page(): Sheet | undefined {
        return this.pages.find(({ id }) => id === this.pageId) ?? inOrder(this.pages)[0];
    }

    get canEdit(): boolean {
        return this.role !== 'viewer' && this.past === null && !this.gone;
    }

    showPage(id: string): void {
        this.saving.flush();
        this.pageId = id;
        this.selection.ids = new Set();
        this.#notify();
    }

    /** Others are chosen: a text that is not, is not edited any more. */
    #selected(): void {
        const { ids } = this.selection;
        this.typing.keepTo(ids);
        this.panelOpen &&= ids.size > 0;
        this.#notify();
    }

    setChoosesSeveral(several: boolean): void {
        this.choosesSeveral = several;
        this.#notify();
    }

    openPanel(open: boolean): void {
        this.panelOpen = open;
        this.#notify();
    }

    nameOf({ type, attributes }: Pick<Item, 'type' | 'attributes'>): string {
        const words = [wordsOf(attributes), attributes.alt].find((value) => typeof value === 'string' && value !== '');
        return words === undefined ? this.t(`editor.type_${type === 'shape' ? String(attributes.shape) : type}`) : String(words).slice(0, 80);
    }

    /** the service's id of a page that is shown */
    there = (id: string | undefined): string | undefined => (id === undefined ? undefined : this.saving.ids.there(id));

    /** The place of a page among all, in reading order, from 1. */
    numberOfPage = (page: Sheet): number => inOrder(this.pages).findIndex(({ id }) => id === page.id) + 1;

    /** The state of saving: what is being sent is not saved yet. */
    get state(): SavingState | 'sending' {
        const { saving: { state, failures, isOffline }, uploads, deciding } = this;
        const isSending = uploads.pending.size > 0 && (state === 'saved' || state === 'saving' || (state === 'failed' && failures.every((failure) => deciding.waitsForFile(failure))));
        return !isSending ? state : isOffline ? 'offline' : 'sending';
    }

    /** Whether something is not with the service yet that is lost, or late, if one leaves. */
    get isBusy(): boolean {
        return this.saving.isBusy || this.uploads.pending.size > 0;
    }

    /** Does something, and says what was wrong if it fails. */
    async attempt(work: () => Promise<void>): Promise<boolean> {
        this.problem = '';
        try {
            await work();
            return true;
        }
        catch (error) {
            this.#fail(wordsOfError(error, this.t));
            return false;
        }
    }
}
