import type { ComponentChildren, JSX } from 'preact';

import type { Project } from '../../client/src/index.js';
import { href, timeIn, useKit } from './kit';

/** The picture of a project, if it is kept here: pages load nothing from other hosts. */
function pictureOf({ thumbnail }: Project): string | undefined {
    const address = thumbnail['320'] ?? Object.values(thumbnail)[0];
    return address !== undefined && URL.canParse(address) && new URL(address).origin === location.origin ? address : undefined;
}

interface RowProps {
    project: Project;
    /** further facts */
    facts?: readonly string[];
    children?: ComponentChildren;
}

/** A project in a list: its picture, title and facts, and what can be done with it. */
export function ProjectRow({ project, facts = [], children }: RowProps): JSX.Element {
    const { t, language } = useKit();
    const picture = pictureOf(project);
    return (
        <article class="row">
            <a class="picture" href={href(`/p/${project.id}`)} tabIndex={-1} aria-hidden="true">
                {picture === undefined ? <span class="letter" dir="auto">{[...project.title][0]}</span> : <img src={picture} alt="" loading="lazy" width="160" height="120" />}
            </a>
            <div class="about">
                <h2><a href={href(`/p/${project.id}`)} dir="auto">{project.title}</a></h2>
                <p class="facts">{[...facts, t('ui.changed', { time: timeIn(language, project.history.updated_at) })].map((fact) => <span key={fact}>{fact}</span>)}</p>
                {project.held !== undefined && <p class="warning">{t('projects.held', { reason: project.held.reason })}</p>}
                {children}
            </div>
        </article>
    );
}
