import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';

import type { Project } from '../../client/src/index.js';
import { thumbnailOf } from '../../src/site/thumbnail.js';
import { href, timeIn, useKit } from './kit';

interface RowProps {
    project: Project;
    /** further facts */
    facts?: readonly string[];
    children?: ComponentChildren;
}

/** A project in a list: its picture, title and facts, and what can be done with it. */
export function ProjectRow({ project, facts = [], children }: RowProps): JSX.Element {
    const { t, client, language } = useKit();
    const isOwn = project.author.id === client.session?.user.id;
    const picture = thumbnailOf(project)?.path;
    // It may be of another place.
    const [absent, setAbsent] = useState<string>();
    return (
        <article class="row">
            <a class="picture" href={href(`/p/${project.id}`)} tabIndex={-1} aria-hidden="true">
                {picture === undefined || picture === absent ? <span class="letter" dir="auto">{[...project.title][0]}</span> : <img src={picture} onError={() => setAbsent(picture)} alt="" loading="lazy" width="160" height="120" />}
            </a>
            <div class="about">
                <h2><a href={href(`/p/${project.id}`)} dir="auto">{project.title}</a></h2>
                <p class="facts">{[...facts, t('ui.changed', { time: timeIn(language, project.history.updated_at) })].map((fact) => <span key={fact}>{fact}</span>)}</p>
                {project.held !== undefined && <p class="warning">{t('projects.held', { reason: project.held.reason })}{isOwn
                    && <> <a href={href('/account/decisions')}>{t('decisions.see_this')}</a></>}</p>}
                {children}
            </div>
        </article>
    );
}
