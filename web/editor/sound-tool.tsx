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

interface SoundChoicesProps {
    editor: Editor;
    chosen: (file: File) => void;
    /** told when a recording begins and ends */
    recording: (is: boolean) => void;
}

/** A sound of one's own: recorded here, or from a file. */
export function SoundChoices({ editor, chosen, recording: tell }: SoundChoicesProps): JSX.Element {
    const { t } = editor;
    const [recording, setRecording] = useState<Recording>();
    const [, tick] = useState(0);
    useEffect(() => {
        const timer = recording && setInterval(() => tick(Date.now()), 500);
        return () => clearInterval(timer);
    }, [recording]);
    const begin = async (): Promise<void> => {
        try {
            setRecording(await record((sound, ending) => {
                setRecording(undefined);
                tell(false);
                chosen(new File([sound], `${t('editor.new_sound')}.${ending}`, { type: sound.type }));
            }));
            tell(true);
        }
        catch {
            editor.tellProblem(t('editor.no_microphone'));
        }
    };

    return recording === undefined ? (
        <>
            <button type="button" class="tool" onClick={() => void begin()}><Icon name="record" /><span>{t('editor.record')}</span></button>
            <FileTool icon="page" label={t('editor.from_file')} accept="audio/*" chosen={([file]) => file && chosen(file)} />
        </>
    ) : <button type="button" class="tool recording" onClick={recording.stop}><Icon name="stop" /><span>{t('editor.stop_recording')} {timeOf(Date.now() - recording.since)}</span></button>;
}

/** Adds a sound. */
export function SoundTool({ editor }: { editor: Editor }): JSX.Element {
    const [isOpen, setOpen] = useState(false);
    const [isRecording, setRecording] = useState(false);
    const popover = useRef<HTMLDivElement>(null);
    useDismiss(popover, isOpen && !isRecording, () => setOpen(false));
    return (
        <div ref={popover} class="popover">
            <button type="button" class="tool" aria-expanded={isOpen} onClick={() => !isRecording && setOpen(!isOpen)}><Icon name="sound" /><span>{editor.t('editor.type_sound')}</span></button>
            {isOpen && (
                <div class="shapes">
                    <SoundChoices
                        editor={editor} recording={setRecording} chosen={(file) => {
                            setOpen(false);
                            void editor.adding.addSound(file);
                        }}
                    />
                </div>
            )}
        </div>
    );
}
