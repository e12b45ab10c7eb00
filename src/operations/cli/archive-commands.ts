import { resolve } from 'node:path';

import { openOwnStorage } from '../../files/assets/own-storage';
import { isLanguage, languageNames } from '../../site/languages';
import { file, noneLeft, UsageError } from './arguments';
import type { Arguments } from './arguments';
import type { Commands } from './command';
import { onDatabase } from './context';
import type { DatabaseContext } from './context';

// What makes pages takes longer to load than most commands take.
// eslint-disable-next-line no-restricted-syntax
const pages = (): typeof import('../../site/archive/write') => require('../../site/archive/write');

const languages = Object.keys(languageNames);

function languageOf({ values: { language = 'en' } }: Arguments): string {
    if (!isLanguage(language)) {
        throw new UsageError(`--language must be one of ${languages.join(', ')}, not "${language}".`);
    }

    return String(language);
}

/** @throws Error if a project could not be written, after all else was done */
async function archive({ config, db, filePool, print, remark }: DatabaseContext, folder: string, language: string): Promise<void> {
    if (config.site === null) {
        throw new Error('SITE=off leaves out all pages, and an archive is made of them. Run this with SITE=on.');
    }

    const assets = await openOwnStorage(db, config);
    const files = filePool();
    try {
        const { written, unchanged, removed, failed, files: count, bytes, leftOut } = await pages().writeArchive({ db, assets, files, place: config.site, language, remark }, resolve(folder));
        print(`projects\t${written + unchanged}\nwritten\t${written}\nunchanged\t${unchanged}\nremoved\t${removed}\nfailed\t${failed}\nfiles\t${count}\nbytes\t${bytes}`);
        print(Object.entries(leftOut).map(([why, projects]) => `left out, ${why}\t${projects}`).join('\n'));
        if (failed > 0) {
            throw new Error(`${failed} project(s) could not be written. Run the command again.`);
        }
    }
    finally {
        await files.close();
        assets.close();
    }
}

/** The command for a copy of what is public. */
export const archiveCommands: Commands = {
    archive: {
        usage: 'archive <folder> [--language en]',
        summary: 'write all that is public as files that need no server',
        help: `--language en   of the pages: ${languages.join(', ')}; en if left out

Writes every public project as one HTML file that plays it, and pages of the featured and the newest projects, of tags, people,
languages and public collections, which lead to them. Open index.html from a disk, or let any web server send the folder.
Nothing in it is loaded from anywhere else. What is private, unlisted, held, or of people who are suspended is not in it.

Can run beside the service, and be interrupted and run again: what has not changed is not written again, and what is not public
any more is removed. The folder has to be new, empty, or an archive of this database. Prints how many projects are in it, and how
many are left out and why.`,
        options: { language: { type: 'string' } },
        prepare: (given) => {
            const folder = file(given);
            const language = languageOf(given);
            noneLeft(given);
            return onDatabase((context) => archive(context, folder, language));
        }
    }
};
