import '../ui/people.css';
import './admin.css';

import { SignedIn } from '../sign-in/enter';
import { useKit } from '../ui/kit';
import { startPage } from '../ui/start';
import { Views } from '../ui/views';
import { Announcements } from './announcements';
import { AllApps } from './apps';
import { Codes } from './codes';
import { ModerationLog, StaffLog } from './logs';
import { Upkeep } from './maintenance';
import { People } from './people';
import { Numbers } from './statistics';
import { AllWebhooks } from './webhooks';

const views = {
    people: People, codes: Codes, apps: AllApps, webhooks: AllWebhooks, announcements: Announcements, statistics: Numbers, maintenance: Upkeep, log: StaffLog, moderation_log: ModerationLog
} as const;

void startPage(() => {
    const { t } = useKit();
    return <SignedIn text={t('admin.sign_in')}><Views path="/admin" texts="admin" permission="staff" views={views} /></SignedIn>;
});
