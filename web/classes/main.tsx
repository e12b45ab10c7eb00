import '../ui/people.css';
import './classes.css';

import type { JSX } from 'preact';

import { SignedIn } from '../sign-in/enter';
import { useKit } from '../ui/kit';
import { startPage } from '../ui/start';
import { ClassList } from './list';
import { ClassPage } from './page';

function App(): JSX.Element {
    const { t } = useKit();
    const [, page = '', id = ''] = location.pathname.split('/');
    const text = t(location.hash === '' ? 'classes.sign_in' : 'classes.join_first');
    return <SignedIn text={text}>{page === 'class' ? <ClassPage id={id} /> : <ClassList />}</SignedIn>;
}

void startPage(App);
