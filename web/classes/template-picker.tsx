import type { JSX } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';

import type { ProjectWithStats } from '../../client/src/index.js';
import { thumbnailOf } from '../../src/site/thumbnail.js';
import { useKit } from '../ui/kit';
import { useList } from '../ui/list';

/** How many of one's own projects are offered. */
const MAX_OFFERED = 200;

/** The start of works: nothing, a project of one's own, chosen by its picture, or another one, by its address. The fields are called `template` and `other`. */
export function TemplatePicker({ value, fault }: { value: string; fault: string }): JSX.Element {
    const { t, client } = useKit();
    const list = useList<ProjectWithStats>(() => client.projects.mine({ count: 100 }), []);
    const id = useId();
    useEffect(() => {
        if (list.more && list.items.length < MAX_OFFERED) {
            void list.load();
        }
    }, [list.items.length]);
    const isOwn = list.items.some((project) => project.id === value);
    const isReady = list.state !== 'loading' || list.items.length > 0;
    return (
        <fieldset class="field templates">
            <legend>{t('classes.assignment_template')}</legend>
            <p class="hint">{t('classes.assignment_template_hint')}</p>
            <ul>
                <li><label><input type="radio" name="template" value="" defaultChecked={value === ''} /><span class="picture blank-page" aria-hidden="true" /><span>{t('classes.template_none')}</span></label></li>
                {list.items.map((project) => <li key={project.id}><label><input type="radio" name="template" value={project.id} defaultChecked={project.id === value} /><Cover project={project} /><bdi>{project.title}</bdi></label></li>)}
            </ul>
            {isReady && (
                <>
                    <label for={id}>{t('classes.template_other')}</label>
                    <input id={id} name="other" dir="ltr" maxLength={500} defaultValue={isOwn ? '' : value} aria-invalid={fault !== ''} aria-describedby={`${id}-fault`} />
                </>
            )}
            <p class="problem" id={`${id}-fault`} role="alert">{fault}</p>
        </fieldset>
    );
}

function Cover({ project }: { project: ProjectWithStats }): JSX.Element {
    const path = thumbnailOf(project)?.path;
    // It may be of another place.
    const [absent, setAbsent] = useState<string>();
    return path === undefined || path === absent ? <span class="picture blank-page" aria-hidden="true">{[...project.title.trim()][0]}</span> : <img class="picture" src={path} alt="" loading="lazy" onError={() => setAbsent(path)} />;
}
