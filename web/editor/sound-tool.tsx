import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

import type { Editor } from './editor.js';
import { FileTool } from './file-tool.js';
import { Icon } from './icons.js';
import { useDismiss } from './menu.js';

/** Milliseconds that are recorded at most. */
const LONGEST = 5 * 60_000;

/** Formats of recordings, with the type that the service knows: films without pictures. */
const containers = [['audio/ogg;codecs=opus', 'audio/ogg', 'ogg'], ['audio/webm;codecs=opus', 'video/webm', 'webm'], ['audio/mp4', 'video/mp4', 'mp4']] as const;

interface Recording {
    since: number;
    stop: () => void;
}

/** Records by the microphone until it is stopped. @param done gets the sound */
async function record(done: (sound: Blob, ending: string) => void): Promise<Recording> {
    const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
    const [mimeType, type, ending] = containers.find(([name]) => MediaRecorder.isTypeSupported(name)) ?? containers[2];
    const recorder = new MediaRecorder(stream, { mimeType });
    const parts: Blob[] = [];
    const timer = setTimeout(() => recorder.stop(), LONGEST);
    recorder.addEventListener('dataavailable', ({ data }) => void parts.push(data));
    recorder.addEventListener('stop', () => {
        clearTimeout(timer);
        stream.getTracks().forEach((track) => track.stop());
        done(new Blob(parts, { type }), ending);
    });
    recorder.start();
    return { since: Date.now(), stop: () => recorder.state === 'inactive' || recorder.stop() };
}

const timeOf = (milliseconds: number): string => `${Math.floor(milliseconds / 60_000)}:${String(Math.floor(milliseconds / 1000) % 60).padStart(2, '0')}`;

/** Adds a sound: recorded here, or from a file. */
export function SoundTool({ editor }: { editor: Editor }): JSX.Element {
    const { t } = editor;
    const [isOpen, setOpen] = useState(false);
    const [recording, setRecording] = useState<Recording>();
    const [, tick] = useState(0);
    const popover = useRef<HTMLDivElement>(null);
    useDismiss(popover, isOpen && recording === undefined, () => setOpen(false));
    useEffect(() => {
        const timer = recording && setInterval(() => tick(Date.now()), 500);
        return () => clearInterval(timer);
    }, [recording]);
    const begin = async (): Promise<void> => {
        try {
            setRecording(await record((sound, ending) => {
                setRecording(undefined);
                setOpen(false);
                void editor.addSound(new File([sound], `${t('editor.new_sound')}.${ending}`, { type: sound.type }));
            }));
        }
        catch {
            editor.tellProblem(t('editor.no_microphone'));
        }
    };

    return (
        <div ref={popover} class="popover">
            <button type="button" class="tool" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}><Icon name="sound" /><span>{t('editor.type_sound')}</span></button>
            {isOpen && (
                <div class="shapes">
                    {recording === undefined ?
                        <button type="button" class="tool" onClick={() => void begin()}><Icon name="record" /><span>{t('editor.record')}</span></button> :
                        <button type="button" class="tool recording" onClick={recording.stop}><Icon name="stop" /><span>{t('editor.stop_recording')} {timeOf(Date.now() - recording.since)}</span></button>}
                    {recording === undefined && <FileTool editor={editor} icon="page" label={t('editor.from_file')} accept="audio/*" done={() => setOpen(false)} />}
                </div>
            )}
        </div>
    );
}
