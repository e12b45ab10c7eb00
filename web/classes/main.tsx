import '../ui/people.css';
import './classes.css';

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import { SignedIn } from '../sign-in/enter';
import { preparedFor } from '../prepared';
import { useKit, useSession } from '../ui/kit';
import { startPage } from '../ui/start';
import { ClassList } from './list';
import { ClassPage } from './page';
import { PictureEntry } from './pictures/entry';
import { PrepareDevice, codeHere } from './pictures/prepare';

function App(): JSX.Element {
    const { t } = useKit();
    const [, page = '', id = ''] = location.pathname.split('/');
    const session = useSession();
    const [code] = useState(codeHere);
    const [prepared, setPrepared] = useState(() => preparedFor(id));
    if (page === 'class' && code !== undefined) {
        return <PrepareDevice id={id} code={code} />;
    }

    if (page === 'class' && session === null && prepared !== undefined) {
        return <PictureEntry one={prepared} onType={() => setPrepared(undefined)} />;
    }

    const text = t(location.hash === '' ? 'classes.sign_in' : 'classes.join_first');
    return <SignedIn text={text}>{page === 'class' ? <ClassPage id={id} /> : <ClassList />}</SignedIn>;
}

void startPage(App);
