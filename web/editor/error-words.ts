import type { PagewrightError } from '../../client/src/index.js';
import { fieldOf } from '../../src/api/json/is-object';
import type { Translate } from '../../src/site/text-options';

/** The words for the author that say what failed. */
export function wordsOfError(error: unknown, t: Translate): string {
    const [code, message] = [fieldOf(error, 'code'), fieldOf(error, 'message')];
    if (error instanceof TypeError && code === undefined && /fetch|network/i.test(String(message))) {
        return t('editor.no_connection');
    }

    return code === 'undo_conflict' ? t('editor.undo_conflict') : t('editor.failed', { why: String(message) });
}

/** Why a file cannot be taken, in the words of whoever chose it. */
export function wordsOfFile(name: string, error: PagewrightError, t: Translate): string {
    const { status, code } = error;
    return status === 413 ? t('editor.file_too_large', { name }) : status === 415 || code === 'type_mismatch' ? t('editor.file_not_shown', { name }) : wordsOfError(error, t);
}
