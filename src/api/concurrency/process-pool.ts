import type { NodeProgram } from './process-starter';
import { processStarter } from './starter';
import type { Started } from './starter';
import { workQueue } from './work-queue';

/** Processes of one pool, each with a small task. A task that needs much memory has the pool alone. */
const MOST_PROCESSES = 2;

/** Milliseconds after which a process without a task ends. */
const IDLE = 5000;

/** Bytes of memory that a process may have after a task; one that has more is ended, as it seldom gives them back. */
const MOST_KEPT = 112 * 1024 * 1024;

/** The reply of a process to a task. */
export interface Reply<Result> {
    result?: Result;
    /** why the content of the task is not accepted, in words for its sender */
    refused?: string;
    /** an error that is not the sender's */
    error?: string;
    /** whether the task needs more memory than a small one may have, and was not done */
    isLarge?: boolean;
    /** bytes of memory of the process after the task */
    memory: number;
}

/** What a process sends when it begins a task. */
const BEGUN = 'begun';

/** How many times as long as a task a process may take to load its program and begin: many seconds on a busy machine. */
const TO_BEGIN = 6;

/** Tells a reply from another message. */
const isReply = <Result>(message: unknown): message is Reply<Result> => message instanceof Object && 'memory' in message;

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

/** A program for tasks, and what is to be removed after its end. */
export interface PreparedProgram extends NodeProgram {
    remove(): Promise<void>;
}

export interface PoolOptions {
    prepare(): Promise<PreparedProgram>;
    /** most milliseconds of one task, from when its process says that it begins */
    longest: number;
    /** the program that starts the processes, as `processStarter` takes it */
    starter?: string;
}

/** Processes that do tasks on content that nobody has checked yet. Each has one task at a time, and is killed with it. */
export interface ProcessPool<Task extends object, Result> {
    /**
     * Does a task when it is its turn. Callers take turns, and one caller has one task at a time.
     * @param signal takes the task out of the queue, or kills its process
     * @throws Ended, NotBegun
     */
    run(task: Task, caller: string, signal?: AbortSignal): Promise<Reply<Result>>;
    /** Milliseconds that a new task of this caller would wait, estimated. */
    wait(caller: string): number;
    /** Ends all processes. */
    close(): Promise<void>;
}

interface Member {
    child: Started;
    end(): Promise<void>;
    idle?: NodeJS.Timeout;
}

/** A pool whose processes are started when they are needed, and end when they are not. */
export function processPool<Task extends object, Result>({ prepare, longest, starter: program }: PoolOptions): ProcessPool<Task, Result> {
    const starter = processStarter(program);
    const any = workQueue(MOST_PROCESSES, 1);
    const large = workQueue(1);
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

    const once = async (task: object, signal: AbortSignal | undefined): Promise<Reply<Result>> => {
        const member = await take();
        const { child } = member;
        const listening = new AbortController();
        try {
            const reply = await new Promise<Reply<Result>>((resolve, reject) => {
                let hasBegun = false;
                const end = (why: string): void => reject(hasBegun ? new Ended(why) : new NotBegun(why));
                const within = (ms: number): NodeJS.Timeout => setTimeout(end, ms, `it took more than ${ms / 1000} s`);
                let timer = within(TO_BEGIN * longest);
                const exited = (): void => end('it took too much memory, or failed');
                const left = (): void => end('its caller has left');
                const answered = (message: unknown): void => {
                    if (message === BEGUN) {
                        hasBegun = true;
                        clearTimeout(timer);
                        timer = within(longest);
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
            await (reply.memory > MOST_KEPT ? member.end() : rest(member));
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

    const inTurn = (task: object, caller: string, signal: AbortSignal | undefined): Promise<Reply<Result>> => any.run(() => once(task, signal), caller, signal);

    /** Does a task while no other process has one, or is there: it takes the turns of both. */
    const alone = (task: object, caller: string, signal: AbortSignal | undefined): Promise<Reply<Result>> => any.run(() => any.run(async () => {
        await Promise.all(free.splice(1).map((member) => member.end()));
        return once(task, signal);
    }, `${caller}, alone`, signal), caller, signal);

    return {
        run: async (task, caller, signal) => {
            const reply = await inTurn(task, caller, signal);
            return reply.isLarge ? large.run(() => alone({ ...task, large: true }, caller, signal), caller, signal) : reply;
        },
        wait: (caller) => Math.max(any.wait(caller), large.wait(caller)),
        close: async () => {
            await Promise.all([...members].map((member) => member.end()));
            starter.close();
        }
    };
}
