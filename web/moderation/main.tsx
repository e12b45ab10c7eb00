import '../ui/people.css';

import { SignedIn } from '../sign-in/enter';
import { useKit } from '../ui/kit';
import { startPage } from '../ui/start';
import { Views } from '../ui/views';
import { Appeals } from './appeals';
import { Log } from './log';
import { Lookup } from './lookup';
import { Person } from './person';
import { Pictures } from './pictures';
import { Queue } from './queue';

const views = { reports: Queue, appeals: Appeals, pictures: Pictures, project: Lookup, person: Person, log: Log } as const;

void startPage(() => {
    const { t } = useKit();
    return <SignedIn text={t('moderation.sign_in')}><Views path="/moderation" texts="moderation" permission="moderator" views={views} /></SignedIn>;
});
