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

/** The message that a process begins a task. */
export const BEGUN = 'begun';

/** Tells a reply from another message. */
export const isReply = <Result>(message: unknown): message is Reply<Result> => message instanceof Object && 'memory' in message;
