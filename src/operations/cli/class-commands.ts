import { idArgument, noneLeft } from './arguments';
import { allClasses } from '../../classes/operators';
import { restoreClass } from './classes';
import type { Commands } from './command';
import { onDatabase } from './context';
import { printable } from './show';

/** Commands for classes. That somebody may teach: `grant`. */
export const classCommands: Commands = {
    classes: {
        usage: 'classes',
        summary: 'list all classes',
        help: 'One class on each line, with tabs between the columns. The first line names the columns. "deleted" has a date for a class\nthat was deleted and has not been purged.',
        prepare: (given) => {
            noneLeft(given);
            return onDatabase(async ({ db, print }) => {
                print('id\ttitle\tteachers\tpupils\tcreated\tdeleted');
                for (const { id, title, teachers, pupils, created, deleted } of await allClasses(db)) {
                    print([id, title, teachers, pupils, created, deleted].map(printable).join('\t'));
                }
            });
        }
    },
    'restore-class': {
        usage: 'restore-class <id>',
        summary: 'restore a deleted class, with the accounts that were removed with it',
        help: 'Works until purge has removed the class. Accounts that were removed with it come back with their projects, and the class\nmanages them again. Those that became ordinary accounts stay so, in the class. "classes" lists the ids.',
        prepare: (given) => {
            const id = idArgument(given, 'class');
            noneLeft(given);
            return onDatabase(async ({ db, print }) => {
                const restored = await restoreClass(db, id);
                if (restored === undefined) {
                    throw new Error(`There is no deleted class with the id ${id}.`);
                }

                print(`The class "${printable(restored.title)}" was restored. Accounts: ${restored.accounts}.`);
            });
        }
    }
};
