import { parseLike } from '../database/samples';
import { nextOf } from '../api/request/pagination';
import type { ListRow } from '../api/request/pagination';
import type { Database } from '../database/statements/connection';
import { findAbsent } from '../rules/asset-references';
import type { ShownList, ShownProject } from './shown';
import { thumbnailOf } from './thumbnail';

/** A sample of the JSON of a project, with the fields that the site shows. */
export const projectSample = {
    id: '', user_id: '', title: '', description: '', tags: [''], revision: 1, author: { username: '', locale: { language: '' } },
    history: { created_at: '', updated_at: '' }, stats: { views: 1, remixes: 1 }
};

/** A page of a list of projects, with those of their thumbnails that are here. */
export async function shownList(db: Database, row: ListRow): Promise<ShownList> {
    const projects = parseLike<ShownProject[]>(`[${row.items}]`, [projectSample]);
    const named = projects.flatMap((project) => {
        const thumbnail = thumbnailOf(project);
        return thumbnail === undefined ? [] : [{ id: project.id, ...thumbnail }];
    });
    // The address of a thumbnail may be of another place, which has other assets.
    const absent = await findAbsent(db, named.map(({ hash }) => hash));
    const thumbnails = new Map(named.filter(({ hash }) => !absent.has(hash)).map(({ id, path }) => [id, path]));
    return { projects, thumbnails, next: nextOf(row) };
}

/** At least so many projects of a list, unless it is shorter: where they are long, its pages have few. */
export async function firstOf(count: number, read: (after?: string) => Promise<ShownList>, after?: string): Promise<ShownList> {
    const list = await read(after);
    if (list.projects.length >= count || list.next === null) {
        return list;
    }

    const { projects, thumbnails, next } = await firstOf(count - list.projects.length, read, list.next);
    return { projects: [...list.projects, ...projects], thumbnails: new Map([...list.thumbnails, ...thumbnails]), next };
}

const primaryOf = (language: string): string => language.split('-', 1).join('').toLowerCase();

/** The first projects of a list: those of authors of a language before others, else in the order of the list. @param language of the reader @param count how many */
export function inLanguageFirst(list: ShownList, language: string, count: number): ShownList {
    const isOf = ({ author }: ShownProject): boolean => primaryOf(author.locale.language) === primaryOf(language);
    return { ...list, projects: [...list.projects.filter(isOf), ...list.projects.filter((project) => !isOf(project))].slice(0, count) };
}
