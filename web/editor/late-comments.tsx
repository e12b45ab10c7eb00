import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import type { Editor } from './editor.js';

interface LateProps {
    editor: Editor;
    close: () => void;
}

interface Loaded {
    CommentsDialog(props: LateProps): JSX.Element;
}

/** The comments, which are loaded when they are asked for. */
export function LateComments({ editor, close }: LateProps): JSX.Element | null {
    const [loaded, load] = useState<Loaded>();
    useEffect(() => {
        void editor.attempt(async () => load(await import('./comments.js'))).then((isLoaded) => isLoaded || close());
    }, []);
    return loaded === undefined ? null : <loaded.CommentsDialog editor={editor} close={close} />;
}
