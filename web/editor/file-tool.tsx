import type { JSX } from 'preact';

import type { Editor } from './editor.js';
import { Icon } from './icons.js';
import type { IconName } from './icons.js';

interface FileToolProps {
    editor: Editor;
    icon: IconName;
    label: string;
    accept: string;
    name?: string;
    /** whether a phone opens its camera at once */
    camera?: boolean;
    done?: () => void;
}

/** A button that lets people choose files of their device, and adds them to the page. */
export function FileTool({ editor, icon, label, accept, name = 'file', camera = false, done }: FileToolProps): JSX.Element {
    return (
        <label class={`tool ${name}`}><Icon name={icon} /><span>{label}</span>
            <input
                type="file" accept={accept} multiple={!camera} {...camera && { capture: 'environment' }} onChange={({ currentTarget }) => {
                    const files = [...currentTarget.files ?? []];
                    currentTarget.value = '';
                    done?.();
                    void editor.addFiles(files);
                }}
            />
        </label>
    );
}
