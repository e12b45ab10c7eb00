import { useKit } from './kit';
import { problemText } from './problems';

/** Does something at once, and tells that it was done, or why not. */
export function useAct(): (work: () => Promise<unknown>, text: string) => Promise<void> {
    const { t, language, say } = useKit();
    return async (work, text) => {
        try {
            await work();
            say(text);
        }
        catch (error) {
            say(problemText(t, language, error));
        }
    };
}
