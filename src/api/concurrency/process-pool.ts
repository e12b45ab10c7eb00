import { setTimeout as sleep } from 'node:timers/promises';

import { debts } from './debts';
import type { NodeProgram } from './process-starter';
import { BEGUN, isReply } from './process-reply';
import type { Reply } from './process-reply';
import { processStarter } from './starter';
import type { Started } from './starter';
import { workQueue } from './work-queue';
import type { Turn } from './work-queue';

/** Processes of one pool. At most one of them has a task that needs much memory or turned out to be slow, so small tasks never wait for such. */
const MAX_PROCESSES = 2;

/** Milliseconds after which a task is slow. It goes on if no other such task is in the way, and else begins again when it is its turn among them. */
const QUICK = 1000;

/** Milliseconds after which a process without a task ends. */
const IDLE = 5000;

/** Bytes of memory that a process may have after a task; one that has more is ended, as it seldom gives them back. */
const MAX_KEPT = 112 * 1024 * 1024;

/** How many times as long as a task a process may take to load its program and begin: many seconds on a busy machine. */
const TO_BEGIN = 6;

/** The task was ended, or its process has: it took too long, or too much memory, or its caller has left. */
export class Ended extends Error {
    constructor(why: string) {
        super(`The task was ended: ${why}.`);
        this.name = 'Ended';
    }
}

/** No process has begun the task. That is not because of what is in it, so it can be tried again. */
export class NotBegun extends Error {
    constructor(why: string) {
        super(`The task was not begun: ${why}.`);
        this.name = 'NotBegun';
    }
}

/** The task turned out to be slow while another such task is done, and begins again when that is done. */
class TooSlow extends Error {}

/** A program for tasks, and what is to be removed after its end. */
export interface PreparedProgram extends NodeProgram {
    remove(): Promise<void>;
}

export interface PoolOptions {
    prepare(): Promise<PreparedProgram>;
    /** most milliseconds of one task, from when its process says that it begins */
    longest: number;
    /** milliseconds after which a task is slow, if not the usual ones */
    quick?: number;
    /** the program that starts the processes, as `processStarter` takes it */
    starter?: string;
}

/** Processes that do tasks on content that nobody has checked yet. Each has one task at a time, and is killed with it. */
export interface ProcessPool<Task extends object, Result> {
    /**
     * Does a task when it is its turn. Callers take turns, and one address has one task at a time. Who had slow tasks stopped waits before (`debts`).
     * @param signal takes the task out of the queue, or kills its process
     * @throws Ended, NotBegun
     */
    run(task: Task, turn: Turn, signal?: AbortSignal): Promise<Reply<Result>>;
    /** Milliseconds that a new task of this caller would wait, estimated. */
    wait(turn: Turn): number;
    /** Ends all processes. */
    close(): Promise<void>;
}

interface Member {
    child: Started;
    end(): Promise<void>;
    idle?: NodeJS.Timeout;
}

/** A pool whose processes are started when they are needed, and end when they are not. */
export function processPool<Task extends object, Result>({ prepare, longest, quick = QUICK, starter: program }: PoolOptions): ProcessPool<Task, Result> {
    const starter = processStarter(program);
    const any = workQueue(MAX_PROCESSES, 1);
    /** for the one process that can have a large or a slow task */
    const slow = workQueue(1);
    const owed = debts();
    const members = new Set<Member>();
    const free: Member[] = [];

    const start = async (): Promise<Member> => {
        const { remove, ...what } = await prepare();
        const child = starter.start(what);
        const member: Member = {
            child,
            end: async () => {
                clearTimeout(member.idle);
                members.delete(member);
                child.kill();
                await remove();
            }
        };
        members.add(member);
        child.on('exit', () => members.delete(member));
        return member;
    };

    const rest = (member: Member): void => {
        member.idle = setTimeout(() => void member.end(), IDLE).unref();
        free.push(member);
    };

    /** A process without a task, perhaps a new one. */
    const take = async (): Promise<Member> => {
        const member = free.pop() ?? await start();
        clearTimeout(member.idle);
        // It may have ended while it had nothing to do.
        return members.has(member) ? member : take();
    };

    /** Does a task. @param mayBeSlow asks whether it may go on that turned out to be slow @throws TooSlow if not */
    const once = async (task: object, turn: Turn, signal: AbortSignal | undefined, mayBeSlow: () => boolean): Promise<Reply<Result>> => {
        const member = await take();
        const { child } = member;
        const listening = new AbortController();
        try {
            const reply = await new Promise<Reply<Result>>((resolve, reject) => {
                let hasBegun = false;
                let began = performance.now();
                const end = (why: string): void => {
                    if (hasBegun && performance.now() - began > quick) {
                        owed.add(turn, performance.now() - began);
                    }

                    reject(hasBegun ? new Ended(why) : new NotBegun(why));
                };

                const judge = (): void => {
                    if (mayBeSlow()) {
                        timer = within(longest, longest - quick);
                    }
                    else {
                        reject(new TooSlow());
                    }
                };

                const within = (ms: number, after = ms): NodeJS.Timeout => setTimeout(end, after, `it took more than ${ms / 1000} s`);
                let timer = within(TO_BEGIN * longest);
                const exited = (): void => end('it took too much memory, or failed');
                const left = (): void => end('its caller has left');
                const answered = (message: unknown): void => {
                    if (message === BEGUN) {
                        hasBegun = true;
                        began = performance.now();
                        clearTimeout(timer);
                        timer = quick < longest ? setTimeout(judge, quick) : within(longest);
                    }
                    else if (isReply<Result>(message)) {
                        resolve(message);
                    }
                };

                child.on('message', answered);
                child.on('exit', exited);
                signal?.addEventListener('abort', left);
                listening.signal.addEventListener('abort', () => {
                    clearTimeout(timer);
                    child.off('message', answered);
                    child.off('exit', exited);
                    signal?.removeEventListener('abort', left);
                });
                if (signal?.aborted) {
                    left();
                }

                child.send(task);
            });
            await (reply.memory > MAX_KEPT ? member.end() : rest(member));
            return reply;
        }
        catch (error) {
            await member.end();
            throw error;
        }
        finally {
            listening.abort();
        }
    };

    /** Does a task that no small one waits for: it has the place of all that are large or slow. */
    const later = (task: object, turn: Turn, signal: AbortSignal | undefined, isLarge: boolean): Promise<Reply<Result>> => slow.run(() => {
        const attempt = async (large: boolean): Promise<Reply<Result>> => {
            const reply = await any.run(async () => {
                if (large) {
                    // It may need the memory of those that have nothing to do.
                    await Promise.all(free.splice(1).map((member) => member.end()));
                }

                return once(large ? { ...task, large } : task, turn, signal, () => true);
            }, turn, signal);
            return reply.isLarge === true && !large ? attempt(true) : reply;
        };

        return attempt(isLarge);
    }, turn, signal);

    /** Does a task that is small, as far as is known. @returns undefined if it turned out to be slow, and was stopped */
    const first = async (task: object, turn: Turn, signal: AbortSignal | undefined): Promise<Reply<Result> | undefined> => {
        let done = (): void => undefined;
        const untilDone = (): Promise<void> => new Promise((resolve) => {
            done = resolve;
        });
        const mayBeSlow = (): boolean => {
            const isFree = slow.isFree(turn);
            void (isFree && slow.run(untilDone, turn));
            return isFree;
        };

        try {
            return await any.run(() => once(task, turn, signal, mayBeSlow), turn, signal);
        }
        catch (error) {
            if (error instanceof TooSlow) {
                return undefined;
            }

            throw error;
        }
        finally {
            done();
        }
    };

    return {
        run: async (task, turn, signal) => {
            if (owed.of(turn) > 0) {
                await sleep(owed.of(turn), undefined, { signal, ref: false }).catch(() => signal?.throwIfAborted());
            }

            const reply = await first(task, turn, signal);
            return reply === undefined || reply.isLarge === true ? later(task, turn, signal, reply?.isLarge === true) : reply;
        },
        wait: (turn) => Math.max(any.wait(turn), slow.wait(turn), owed.of(turn)),
        close: async () => {
            await Promise.all([...members].map((member) => member.end()));
            starter.close();
        }
    };
}
