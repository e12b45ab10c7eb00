import type { JSX } from 'preact';

import type { Config } from '../config';
import type { PageContext } from './context';
import { siteSettings } from '../config/site';

/** How to run a command of operators, by the text that says where. */
const commands = { clone: 'npm run admin --', package: 'npx pagewright admin', container: 'docker exec CONTAINER pagewright admin' } as const;

interface FirstStepsProps {
    page: PageContext;
    signUp: Config['signUp'];
    hasModerator: boolean;
}

/** The first steps for somebody who has just started a place. The page only explains them: it makes nobody a moderator. */
export function FirstSteps({ page: { t, href }, signUp, hasModerator }: FirstStepsProps): JSX.Element {
    const moderation = <a href={href('/moderation')}>{t('moderation.title')}</a>;
    if (hasModerator) {
        return <div class="steps"><h1>{t('first.title')}</h1><p>{t('first.moderated')} {moderation}</p></div>;
    }

    return (
        <div class="steps">
            <h1>{t('first.title')}</h1>
            <p>{t('first.text')}</p>
            <ol>
                <li>
                    <p><a href={href('/sign-up')}>{t('first.account')}</a></p>
                    {signUp === 'invite' && <p>{t('first.invite')} <code dir="ltr">{commands.clone} invite</code></p>}
                    {signUp === 'closed' && <p>{t('first.closed')}</p>}
                </li>
                <li>
                    <p>{t('first.command')}</p>
                    <dl>
                        {(['clone', 'package', 'container'] as const).map((where) => (
                            <div key={where}>
                                <dt>{t(`first.${where}`)}</dt>
                                <dd><code dir="ltr">{commands[where]} grant NAME moderator</code></dd>
                            </div>
                        ))}
                    </dl>
                </li>
                <li><p>{t('first.done')} {moderation}</p></li>
            </ol>
            <p>{t('first.more', { settings: Object.keys(siteSettings).join(', ') })}</p>
        </div>
    );
}
