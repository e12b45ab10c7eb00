/** Calls `changed` for each change of the project at `url` after `revision`; returns when it is gone. Runs in browsers and in Node. */
export const watch = async (url, revision, changed) => {

    for (;;) {
        const response = await fetch(`${url}/events?since=${revision}`).catch(() => undefined);
        if (response?.status === 404) {
            return;
        }

        let wait = 1000 * (response?.headers.get('retry-after') ?? 3);
        let text = '';
        try {
            const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
            for (;;) {
                const { value, done } = await reader.read();
                if (done || !response.ok) {
                    break;
                }

                const blocks = (text + value).split('\n\n');
                text = blocks.pop();
                for (const block of blocks) {
                    const [, event] = /^event: (.*)$/m.exec(block) ?? [];
                    if (event === 'gone') {
                        return;
                    }

                    wait = Number(/^retry: (\d+)$/m.exec(block)?.[1] ?? wait);
                    if (event === 'change') {
                        const change = JSON.parse(/^data: (.*)$/m.exec(block)[1]);
                        revision = change.revision;
                        await changed(change);
                    }
                }
            }
        }
        catch {
            // The connection was lost.
        }

        await new Promise((resolve) => setTimeout(resolve, wait));
    }
};
