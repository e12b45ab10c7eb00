import type { Config } from '../../config';
import { WrongSettings } from '../../config/wrong-settings';
import { errorCode } from '../../database/error-code';
import { errorMessage } from '../../database/statements/error-message';
import { placeOfDatabase } from '../../database/statements/open';
import { outageOf } from '../../database/statements/outage';

const rights = 'Use the role that owns its tables, or, if it is new, let its owner "grant usage, create on schema public" to the role.';

/** Remedies for an SQLSTATE with which a database refuses the service. */
const remedies: Readonly<Record<string, string>> = {
    '3D000': 'Make it (createdb), or correct DATABASE_URL.',
    '3F000': rights,
    '42501': rights
};

/** The error of a start whose database cannot be used, in one sentence for an operator. */
export function databaseRefused(error: unknown, config: Config): Error {
    const outage = outageOf(error);
    const Thrown = outage !== undefined || error instanceof WrongSettings ? WrongSettings : Error;
    const why = outage === undefined ? errorMessage(error) : `${outage.words} ${remedies[errorCode(error) ?? ''] ?? 'Correct DATABASE_URL.'}`;
    return new Thrown(`Cannot use ${placeOfDatabase(config)}: ${why}`, { cause: error });
}

/** The error of a start whose embedded database cannot be started, in words for an operator. */
export function embeddedRefused(error: unknown, { dataDir }: Pick<Config, 'dataDir'>): Error {
    // Node has a code for it, and PostgreSQL's programs write it to their log.
    const why = `${errorCode(error) ?? ''} ${errorMessage(error)}`;
    return new Error(/ENOSPC|EDQUOT|No space left on device|Disk quota exceeded/.test(why)
        ? `There is no room for the embedded database in ${dataDir}. Make room there, or set DATA_DIR to a folder on another disk.`
        : errorMessage(error), { cause: error });
}
