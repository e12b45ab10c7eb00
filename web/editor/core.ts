import type { Client } from '../../client/src/index.js';
import type { Translate } from '../../src/site/text-options';
import type { Deciding } from './deciding.js';
import type { Doc, Sheet } from './document.js';
import type { View } from './placing.js';
import type { Saving } from './saving.js';
import type { ElementSelection } from './selection.js';
import type { Typing } from './typing.js';
import type { Undoing } from './undoing.js';
import type { Uploads } from './uploads.js';

/** A point of the history that is shown instead of the present. */
export interface Past {
    revision: number;
    at: string;
    pages: readonly Sheet[];
}

/** The editor, as its parts know it: adding, arranging, pages and the history. */
export interface EditorCore {
    readonly client: Client;
    readonly saving: Saving;
    readonly undoing: Undoing;
    readonly deciding: Deciding;
    readonly selection: ElementSelection;
    readonly typing: Typing;
    readonly uploads: Uploads;
    readonly t: Translate;
    readonly doc: Doc;
    readonly pages: readonly Sheet[];
    readonly page: Sheet | undefined;
    readonly canEdit: boolean;
    past: Past | null;
    problem: string;
    view: View;
    say(message: string): void;
    tellProblem(problem: string): void;
    showPage(id: string): void;
    numberOfPage(page: Sheet): number;
    check(): void;
    attempt(work: () => Promise<void>): Promise<boolean>;
}
