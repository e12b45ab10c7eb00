import { execFileSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';

/** The operating-system user that runs a PostgreSQL program. */
export interface Account {
    uid: number;
    gid: number;
}

/**
 * The user to run PostgreSQL as if this process is root, because PostgreSQL refuses to run as root; undefined otherwise.
 * It is the owner of the cluster if there is one (user ids can change with an image, and root may start the checkout of an
 * ordinary user), else the user `postgres`, which is created if it does not exist.
 */
export const accountFor = (cluster: string): Account | undefined => {
    // Which of these lines run depends on who runs the tests; they start servers both as root and as an ordinary user.
    /* $lab:coverage:off$ */
    if (process.getuid?.() !== 0) {
        return undefined;
    }

    const { uid, gid } = existsSync(cluster) ? statSync(cluster) : { uid: 0, gid: 0 };
    return uid === 0 ? ensureAccount('postgres') : { uid, gid };
    /* $lab:coverage:on$ */
};

/**
 * The user with this name. If it does not exist, it is created as a system user without a login.
 * @throws Error that says what to do if it cannot be created
 */
export const ensureAccount = (name: string): Account => {
    try {
        return lookUp(name);
    }
    catch {
        // No such user: the usual case in a container.
    }

    try {
        run('groupadd', '--force', '--system', name);
        // Only root gets this far.
        /* $lab:coverage:off$ */
        run('useradd', '--system', '--gid', name, '--no-create-home', '--home-dir', '/nonexistent', '--shell', '/usr/sbin/nologin', name);
        return lookUp(name);
        /* $lab:coverage:on$ */
    }
    catch (error) {
        throw new Error(`PostgreSQL does not run as root, and the user "${name}" to run it as could not be created ` +
            `(${String(error)}). Create that user, run as an ordinary user, or set DATABASE_URL.`);
    }
};

const lookUp = (name: string): Account => {
    return { uid: Number(run('id', '-u', name)), gid: Number(run('id', '-g', name)) };
};

const run = (command: string, ...args: string[]): string => {
    return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
};
