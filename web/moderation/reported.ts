import { each } from '../../client/src/lists.js';
import type { Client, List, Project, ReportedProject } from '../../client/src/index.js';
import { reportReasons } from '../../src/community/report-reasons';

export const kinds = ['project', 'comment', 'user'] as const;
export type Kind = typeof kinds[number];

export type Rule = typeof reportReasons[number];
export type State = 'kept' | 'held' | 'removed' | 'suspended';

interface Named {
    id: string;
    username: string;
}

/** The reports of a project, a comment or a person. */
export interface Reported extends Pick<ReportedProject, 'count' | 'reasons' | 'newest' | 'guests'> {
    kind?: Kind;
    /** whole if it was reported itself */
    project?: Project | Pick<Project, 'id' | 'title'>;
    comment?: { id: string; project_id: string; author: Named | null; text: string | null; created_at: string };
    user?: Named;
}

/** The decisions about each kind. */
export const statesOf: Readonly<Record<Kind, readonly State[]>> =
    { project: ['kept', 'held', 'removed'], comment: ['kept', 'held', 'removed'], user: ['kept', 'suspended'] };

/** The kind of a reported thing, and its id. */
export function thingOf({ project, comment, user }: Reported): { kind: Kind; id: string } {
    return comment !== undefined ? { kind: 'comment', id: comment.id } : user !== undefined ? { kind: 'user', id: user.id }
        : { kind: 'project', id: project?.id ?? '' };
}

export const keyOf = (report: Reported): string => Object.values(thingOf(report)).join(' ');

/** Reported things that nobody has decided about, the most reported first. */
export const listReported = ({ api }: Client, kind: Kind | null): List<Reported> => each({ count: 25 }, async (page, call) => {
    const query = { ...page, ...kind !== null && { kind } };
    const { reports, next } = (await api.GET('/moderation/reports', { params: { query }, ...call })).data;
    return { items: reports, next };
});

interface Decision {
    state: State;
    note: string;
    /** left out if nothing is done */
    rule?: Rule;
    /** the end of a suspension; there is none if left out */
    until?: string;
}

/** Closes the reports of a thing. */
export async function decide({ api }: Client, report: Reported, decision: Decision): Promise<void> {
    const { kind, id } = thingOf(report);
    const { state } = decision;
    if (kind === 'user') {
        await api.PATCH('/moderation/reports/users/{user}',
            { params: { path: { user: id } }, body: { ...decision, state: state === 'suspended' ? state : 'kept' } });
    }
    else if (state !== 'suspended') {
        const body = { ...decision, state };
        await (kind === 'project' ? api.PATCH('/moderation/reports/{project}', { params: { path: { project: id } }, body })
            : api.PATCH('/moderation/reports/comments/{comment}', { params: { path: { comment: id } }, body }));
    }
}

/** The rule that most reports name. */
export function usualRule({ reasons }: Pick<Reported, 'reasons'>): Rule {
    const [most] = Object.entries(reasons).sort(([, a], [, b]) => b - a);
    return reportReasons.find((reason) => reason === most?.[0]) ?? 'other';
}

export const ruleOf = (value: string): Rule => reportReasons.find((reason) => reason === value) ?? 'other';

/** Holds a project that nobody has reported. */
export async function holdBy({ api }: Client, project: string, reason: string, rule: Rule): Promise<Project> {
    const body = { reason, rule };
    return (await api.PUT('/moderation/projects/{project}/hold', { params: { path: { project } }, body })).data.project;
}

/** Suspends somebody whom nobody has reported. */
export async function suspendBy({ api }: Client, user: string, reason: string, until: Date | undefined, rule: Rule): Promise<void> {
    const body = { reason, rule, ...until !== undefined && { until: until.toISOString() } };
    await api.PUT('/moderation/users/{user}/suspension', { params: { path: { user } }, body });
}
