import type { JSX } from 'preact';

import { Icon } from './icons.js';
import type { IconName } from './icons.js';

interface FileToolProps {
    icon: IconName;
    label: string;
    accept: string;
    name?: string;
    /** whether a phone opens its camera at once */
    camera?: boolean;
    chosen: (files: File[]) => void;
}

/** A button that lets people choose files of their device. */
export function FileTool({ icon, label, accept, name = 'file', camera = false, chosen }: FileToolProps): JSX.Element {
    return (
        <label class={`tool ${name}`}><Icon name={icon} /><span>{label}</span>
            <input
                type="file" accept={accept} multiple={!camera} {...camera && { capture: 'environment' }} onChange={({ currentTarget }) => {
                    const files = [...currentTarget.files ?? []];
                    currentTarget.value = '';
                    chosen(files);
                }}
            />
        </label>
    );
}
