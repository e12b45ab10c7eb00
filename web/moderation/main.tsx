import '../ui/people.css';

import { SignedIn } from '../sign-in/enter';
import { useKit } from '../ui/kit';
import { startPage } from '../ui/start';
import { Views } from '../ui/views';
import { Log } from './log';
import { Lookup } from './lookup';
import { Person } from './person';
import { Queue } from './queue';

const views = { reports: Queue, project: Lookup, person: Person, log: Log } as const;

void startPage(() => {
    const { t } = useKit();
    return <SignedIn text={t('moderation.sign_in')}><Views path="/moderation" texts="moderation" permission="moderator" views={views} /></SignedIn>;
});
