import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import type { ClassRead } from '../../client/src/index.js';
import { place } from '../ui/place';
import { href, useKit, useSession } from '../ui/kit';
import { problemText } from '../ui/problems';
import { AddPupils } from './add';
import { Assignments } from './assignments';
import { Attending } from './attending';
import { Code } from './code';
import { EndOfClass } from './end';
import { useParts } from './parts';
import { PictureSignIn } from './pictures/settings';
import { Pupils } from './pupils';
import { Settings } from './settings';
import { Sheets } from './sheets';
import { withSlips } from './sheets';
import type { Slip } from './sheets';
import { Teachers } from './teachers';
import { Wall } from './wall';
import { Works } from './works';

/** One class, as its teachers or its pupils see it. */
export function ClassPage({ id }: { id: string }): JSX.Element {
    const { t, client, language } = useKit();
    const session = useSession();
    const [found, setFound] = useState<ClassRead | null>(null);
    const [problem, setProblem] = useState('');
    const read = (): Promise<void> => client.classes.get(id).then(setFound, (error: unknown) => setProblem(problemText(t, language, error)));
    useEffect(() => void read(), [session?.user.id]);
    useEffect(() => {
        if (found !== null) {
            document.title = `${found.class.title} · ${document.title.split(' · ').at(-1)}`;
        }
    }, [found?.class.title]);

    const assignment = new URLSearchParams(location.search).get('assignment');
    const title = found?.class.title ?? t('classes.title');
    return (
        <>
            <p><a href={href('/classes')}>{t('classes.all')}</a></p>
            <h1><bdi>{title}</bdi></h1>
            <p class="problem" role="alert">{problem}</p>
            {found === null ? problem === '' && <p class="loading" role="status">{t('page.loading')}</p> : found.role === 'teacher' ? assignment === null ? <Taught found={found} read={read} /> : <Works found={found} id={assignment} /> : <Attending found={found} />}
        </>
    );
}

/** The page of a teacher, in parts. What is open in one, such as sheets to print, stays while another is shown. */
function Taught({ found, read }: { found: ClassRead; read(): Promise<void> }): JSX.Element {
    const { t } = useKit();
    const [part, links] = useParts(found);
    const [slips, setSlips] = useState<readonly Slip[]>([]);
    const show = (more: readonly Slip[]): void => setSlips((before) => withSlips(before, more));
    return (
        <>
            {links}
            <div hidden={part !== 'assignments'}><Assignments found={found} /></div>
            {part === 'wall' && <Wall found={found} />}
            <div hidden={part !== 'people' && part !== 'settings'}>
                <Sheets one={found.class} slips={slips} onClosed={() => setSlips([])} />
            </div>
            <div hidden={part !== 'people'}>
                <section class="part" aria-labelledby="pupils">
                    <h2 id="pupils">{t('classes.pupils')}</h2>
                    {place().issuer === null && <AddPupils found={found} onMade={(made) => {
                        show(made);
                        void read();
                    }} slips={slips} />}
                    <Pupils found={found} read={read} show={show} />
                </section>
                <Code found={found} read={read} />
                <Teachers found={found} read={read} />
            </div>
            <div hidden={part !== 'settings'}>
                <Settings one={found.class} read={read} />
                {place().issuer === null && <PictureSignIn found={found} read={read} show={show} />}
                <EndOfClass one={found.class} />
            </div>
        </>
    );
}
