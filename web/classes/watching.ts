import { useEffect, useState } from 'preact/hooks';

import { PagewrightError } from '../../client/src/index.js';
import type { Class, Client } from '../../client/src/index.js';

/** Milliseconds between two reads of a class that changes all the time, and before one that failed is tried again. */
const PAUSE = 700;
const PAUSE_AFTER_FAILURE = 3000;

const sleep = (time: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, time));

/** Whether the tab is looked at. */
function useVisible(): boolean {
    const [isVisible, setVisible] = useState(!document.hidden);
    useEffect(() => {
        const look = (): void => setVisible(!document.hidden);
        document.addEventListener('visibilitychange', look);
        return () => document.removeEventListener('visibilitychange', look);
    }, []);
    return isVisible;
}

/** Reads what one sees of a class whenever it has changed, by one stream, while the tab is looked at. @param read reads it again */
export function useWatch(client: Client, { id }: Pick<Class, 'id'>, read: () => Promise<void>): void {
    const isVisible = useVisible();
    useEffect(() => {
        const stop = new AbortController();
        let isReading = false;
        let isOld = false;
        const readAgain = async (): Promise<void> => {
            isOld = true;
            if (isReading) {
                return;
            }

            isReading = true;
            while (isOld && !stop.signal.aborted) {
                isOld = false;
                const isRead = await read().then(() => true, () => false);
                isOld ||= !isRead;
                await sleep(isRead ? PAUSE : PAUSE_AFTER_FAILURE);
            }

            isReading = false;
        };

        const watch = async (): Promise<void> => {
            for await (const _change of client.classes.watch({ id }, { signal: stop.signal })) {
                void readAgain();
            }

            await (stop.signal.aborted ? undefined : read());
        };

        if (isVisible) {
            void watch().catch((error: unknown) => {
                // The class is gone, or they are out of it: nothing of it is to stay here.
                if (error instanceof PagewrightError && error.status === 404) {
                    location.reload();
                }
            });
        }

        return () => stop.abort();
    }, [id, isVisible]);
}
