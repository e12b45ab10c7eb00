import type { Api, CallOptions } from './api.js';
import { each, pathOf, whole } from './lists.js';
import type { ListOptions, ListPage, PageOptions } from './lists.js';
import type { ProjectList } from './projects.js';
import type { Assignment, AssignmentChanges, Class, ClassFields, ClassOfProject, ClassRead, EnrolledPupil, ListedAssignment, NewAssignment, NewClass, ProjectPlace, ProjectWithStats, Pupil, PupilWork, Teacher, Work } from './things.js';
import { waysInOf } from './ways-in.js';
import type { PupilWaysIn } from './ways-in.js';

/** Classes that you teach or attend. */
export interface Classes extends PupilWaysIn {
    /** all of them, newest first, with what you are in each */
    mine(options?: CallOptions): Promise<{ class: Class; role: ClassRead['role'] }[]>;

    /** A class with its people, as you see them; with the code to join by, if you teach it. */
    get(id: string, options?: CallOptions): Promise<ClassRead>;

    /** Makes a class, and a code to join it by. @throws PagewrightError 403 `forbidden` if you are no teacher */
    create(fields: NewClass, options?: CallOptions): Promise<{ class: Class; code: string }>;

    /** @param changes.code makes a new code, and ends the one before @throws PagewrightError 409 `revision_conflict` if `changes.revision` is not the present one */
    update(one: Pick<Class, 'id'>, changes: Partial<ClassFields> & { code?: true; revision?: number }, options?: CallOptions): Promise<{ class: Class; code: string }>;

    /** @param options.removeAccounts whether the accounts that it manages are closed with all that is theirs; else they become ordinary ones */
    delete(one: Pick<Class, 'id'>, options?: CallOptions & { removeAccounts?: boolean }): Promise<void>;

    /** Joins a class as a pupil. @throws PagewrightError 404 if the code is of no class */
    join(code: string, options?: CallOptions): Promise<{ class: Class; role: ClassRead['role'] }>;

    /**
     * Opens an account for each name, all or none, and returns their pass-phrases.
     * @param key of 16 characters and more, with which the same call shows the pass-phrases again, for a day
     */
    enrol(one: Pick<Class, 'id'>, names: string[], key?: string, options?: CallOptions): Promise<EnrolledPupil[]>;

    /** Takes a pupil out, by the user's id; pupils themselves, too. @param options.removeAccount whether an account that the class manages is closed; else it becomes an ordinary one */
    removePupil(one: Pick<Class, 'id'>, pupil: string, options?: CallOptions & { removeAccount?: boolean }): Promise<void>;

    /** @throws PagewrightError 409 `no_teacher` if the user may not teach */
    addTeacher(one: Pick<Class, 'id'>, username: string, options?: CallOptions): Promise<Teacher>;

    /** @throws PagewrightError 409 `last_teacher` */
    removeTeacher(one: Pick<Class, 'id'>, username: string, options?: CallOptions): Promise<void>;

    /**
     * The projects that are in a class and that you may read, latest change first.
     * @param options.pupil id of the user whose projects alone you want
     * @param options.state only those in this state: `waiting` for those that a teacher has to look at
     */
    projects(one: Pick<Class, 'id'>, options?: ListOptions & { pupil?: string; state?: ClassOfProject['state'] }): ProjectList;

    /** A page of them, and which of those the class does not see, as they wait for a look or are hidden. */
    wall(one: Pick<Class, 'id'>, options?: PageOptions & { pupil?: string; state?: ClassOfProject['state'] }): Promise<ClassWall>;

    /**
     * Tells at once, and then whenever what `projects` lists for you is not what it was. A lost connection is made again.
     * Ends when you may no longer see the class, or the signal is aborted.
     */
    watch(one: Pick<Class, 'id'>, options?: CallOptions): AsyncGenerator<{ state: string }, void, undefined>;

    /**
     * Puts a project of yours into a class, or changes who of it reads the project: its teachers alone, or all of it.
     * @throws PagewrightError 403 `publish_bound` if the class, which manages your account, lets its teachers alone read it
     */
    putProject(one: Pick<Class, 'id'>, project: ProjectPlace, audience: ClassOfProject['audience'], options?: CallOptions): Promise<ClassOfProject>;

    /** Takes a project of yours out of a class, at once. */
    takeProject(one: Pick<Class, 'id'>, project: ProjectPlace, options?: CallOptions): Promise<void>;

    /** Shows a project to the class, also one that waits for a look, or hides it with a reason for its author. As a teacher. @returns the class of the project */
    show(one: Pick<Class, 'id'>, project: Pick<ProjectPlace, 'id'>, options?: CallOptions): Promise<ClassOfProject>;
    hide(one: Pick<Class, 'id'>, project: Pick<ProjectPlace, 'id'>, reason: string, options?: CallOptions): Promise<ClassOfProject>;

    /** Lets a pupil read but change nothing until a time (ISO 8601), or ends that with null. As a teacher. */
    pause(one: Pick<Class, 'id'>, pupil: string, until: string | null, options?: CallOptions): Promise<Pupil>;

    /** the classes that a project of yours is in, with who of each reads it, and whether the class sees it */
    ofProject(project: ProjectPlace, options?: CallOptions): Promise<ClassOfProject[]>;

    /** All assignments of a class, newest first: for teachers with the numbers of works, for pupils with their own. If `more` is true, the text goes on: `assignment` reads all of it. */
    assignments(one: Pick<Class, 'id'>, options?: CallOptions): Promise<ListedAssignment[]>;

    /** An assignment with all of its text: for teachers with the numbers of works, for pupils with their own. */
    assignment(one: AssignmentPlace, options?: CallOptions): Promise<Omit<ListedAssignment, 'more'>>;

    /** @param fields.template the project that works begin with; you have to be able to read it */
    assign(one: Pick<Class, 'id'>, fields: NewAssignment, options?: CallOptions): Promise<Assignment>;

    /** @param changes.template null for none; so for `due_at` @throws PagewrightError 409 `revision_conflict` if `changes.revision` is not the present one */
    updateAssignment(one: AssignmentPlace, changes: AssignmentChanges, options?: CallOptions): Promise<Assignment>;

    deleteAssignment(one: AssignmentPlace, options?: CallOptions): Promise<void>;

    /** Begins your work, or finds it again. Its project is that of `project_id`. */
    begin(one: AssignmentPlace, options?: CallOptions): Promise<Work>;

    /** The works for an assignment: for teachers those of all pupils, also of those who have not begun, by their names; for pupils their own. */
    works(one: AssignmentPlace, options?: CallOptions): Promise<PupilWork[]>;

    /** Hands in your work. @param options.point the revision to hand in; the present one if left out @throws PagewrightError 409 `handed_in` if another one is handed in, or a teacher has accepted it */
    handIn(one: AssignmentPlace, work: Pick<Work, 'id'>, options?: CallOptions & { point?: number }): Promise<Work>;

    /** Takes your work back. @throws PagewrightError 409 `handed_in` once a teacher has returned it */
    takeBack(one: AssignmentPlace, work: Pick<Work, 'id'>, options?: CallOptions): Promise<Work>;

    /** Returns or accepts a work, as a teacher. @param note what you have to say about it; if left out, the note stays as it is @throws PagewrightError 409 `not_handed_in` */
    review(one: AssignmentPlace, work: Pick<Work, 'id'>, state: 'returned' | 'accepted', note?: string, options?: CallOptions): Promise<Work>;
}

/** A page of the projects of a class. */
export interface ClassWall extends ListPage<ProjectWithStats> {
    unseen: { project_id: string; state: 'waiting' | 'hidden'; reason: string | null }[];
}

/** The ids of an assignment and its class. */
export type AssignmentPlace = Pick<Assignment, 'id' | 'class_id'>;

/** Items to request at a time, of lists that are read to their end. */
const MOST = 100;

const placeOf = ({ id, class_id }: AssignmentPlace) => ({ class_id, assignment: id });

export function classesOf(api: Api, watch: (id: string, options: CallOptions) => ReturnType<Classes['watch']>): Classes {
    const patchWork = async (place: AssignmentPlace, { id: work }: Pick<Work, 'id'>, body: { state: Work['state']; point?: number; note?: string }, options?: CallOptions): Promise<Work> => {
        return (await api.PATCH('/classes/{class_id}/assignments/{assignment}/work/{work}', { params: { path: { ...placeOf(place), work } }, body, ...options })).data.work;
    };

    const changePlace = async (id: string, project: string, body: { state: 'shown' | 'hidden'; reason?: string }, options?: CallOptions): Promise<ClassOfProject> => {
        return (await api.PATCH('/classes/{class_id}/projects/{project}', { params: { path: { class_id: id, project } }, body, ...options })).data.class;
    };

    return {
        mine: (options) => whole(each({ ...options, count: MOST }, async (query, call) => {
            const { classes, next } = (await api.GET('/users/{user}/classes', { params: { path: { user: 'me' }, query }, ...call })).data;
            return { items: classes, next };
        })),

        get: async (id, options) => {
            const { status: _status, ...read } = (await api.GET('/classes/{class_id}', { params: { path: { class_id: id } }, ...options })).data;
            return read;
        },

        create: async (body, options) => {
            const { class: made, code } = (await api.POST('/users/{user}/classes', { params: { path: { user: 'me' } }, body, ...options })).data;
            return { class: made, code };
        },

        update: async ({ id }, body, options) => {
            const { class: changed, code } = (await api.PATCH('/classes/{class_id}', { params: { path: { class_id: id } }, body, ...options })).data;
            return { class: changed, code };
        },

        delete: async ({ id }, { removeAccounts, ...options } = {}) => {
            await api.DELETE('/classes/{class_id}', { params: { path: { class_id: id }, ...removeAccounts && { query: { accounts: 'remove' as const } } }, ...options });
        },

        join: async (code, options) => {
            const { class: joined, role } = (await api.POST('/classes', { body: { code }, ...options })).data;
            return { class: joined, role };
        },

        enrol: async ({ id }, names, key, options) => {
            return (await api.POST('/classes/{class_id}/pupils', { params: { path: { class_id: id } }, body: { names, ...key === undefined ? {} : { idempotency_key: key } }, ...options })).data.pupils;
        },

        ...waysInOf(api),

        removePupil: async ({ id }, pupil, { removeAccount, ...options } = {}) => {
            await api.DELETE('/classes/{class_id}/pupils/{pupil}', { params: { path: { class_id: id, pupil }, ...removeAccount && { query: { account: 'remove' as const } } }, ...options });
        },

        addTeacher: async ({ id }, username, options) => (await api.PUT('/classes/{class_id}/teachers/{username}', { params: { path: { class_id: id, username } }, ...options })).data.teacher,

        removeTeacher: async ({ id }, username, options) => {
            await api.DELETE('/classes/{class_id}/teachers/{username}', { params: { path: { class_id: id, username } }, ...options });
        },

        projects: ({ id }, { pupil, state, ...options } = {}) => each(options, async (query, call) => {
            const { projects, next } = (await api.GET('/classes/{class_id}/projects', { params: { path: { class_id: id }, query: { ...query, ...pupil !== undefined && { pupil }, ...state !== undefined && { state } } }, ...call })).data;
            return { items: projects, next };
        }),

        wall: async ({ id }, { pupil, state, count = 50, after, ...options } = {}) => {
            const query = { count, ...typeof after === 'string' && { after }, ...pupil !== undefined && { pupil }, ...state !== undefined && { state } };
            const { projects, unseen, next } = (await api.GET('/classes/{class_id}/projects', { params: { path: { class_id: id }, query }, ...options })).data;
            return { items: projects, unseen, next };
        },

        watch: ({ id }, options = {}) => watch(id, options),

        putProject: async ({ id }, project, audience, options) => {
            return (await api.PUT('/users/{user}/projects/{project}/classes/{class_id}', { params: { path: { ...pathOf(project), class_id: id } }, body: { audience }, ...options })).data.class;
        },

        takeProject: async ({ id }, project, options) => {
            await api.DELETE('/users/{user}/projects/{project}/classes/{class_id}', { params: { path: { ...pathOf(project), class_id: id } }, ...options });
        },

        show: ({ id }, { id: project }, options) => changePlace(id, project, { state: 'shown' }, options),

        hide: ({ id }, { id: project }, reason, options) => changePlace(id, project, { state: 'hidden', reason }, options),

        pause: async ({ id }, pupil, until, options) => {
            const request = { params: { path: { class_id: id, pupil } }, ...options };
            const path = '/classes/{class_id}/pupils/{pupil}/pause';
            return (await (until === null ? api.DELETE(path, request) : api.PUT(path, { ...request, body: { until } }))).data.pupil;
        },

        ofProject: async (project, options) => (await api.GET('/users/{user}/projects/{project}/classes', { params: { path: pathOf(project) }, ...options })).data.classes,

        assignments: ({ id }, options) => whole(each({ ...options, count: MOST }, async (query, call) => {
            const { assignments, next } = (await api.GET('/classes/{class_id}/assignments', { params: { path: { class_id: id }, query }, ...call })).data;
            return { items: assignments, next };
        })),

        assignment: async (place, options) => {
            const { status: _status, ...read } = (await api.GET('/classes/{class_id}/assignments/{assignment}', { params: { path: placeOf(place) }, ...options })).data;
            return read;
        },

        assign: async ({ id }, body, options) => (await api.POST('/classes/{class_id}/assignments', { params: { path: { class_id: id } }, body, ...options })).data.assignment,

        updateAssignment: async (place, body, options) => (await api.PATCH('/classes/{class_id}/assignments/{assignment}', { params: { path: placeOf(place) }, body, ...options })).data.assignment,

        deleteAssignment: async (place, options) => {
            await api.DELETE('/classes/{class_id}/assignments/{assignment}', { params: { path: placeOf(place) }, ...options });
        },

        begin: async (place, options) => (await api.POST('/classes/{class_id}/assignments/{assignment}/work', { params: { path: placeOf(place) }, ...options })).data.work,

        works: async (place, options) => {
            const works = await whole(each({ ...options, count: MOST }, async (query, call) => {
                const { works: items, next } = (await api.GET('/classes/{class_id}/assignments/{assignment}/work', { params: { path: placeOf(place), query }, ...call })).data;
                return { items, next };
            }));
            const nameOf = ({ pupil }: PupilWork): string => pupil?.name ?? pupil?.user.username ?? '';
            return works.sort((one, other) => nameOf(one).localeCompare(nameOf(other)));
        },

        handIn: (place, work, { point, ...options } = {}) => patchWork(place, work, { state: 'handed_in', ...point === undefined ? {} : { point } }, options),

        takeBack: (place, work, options) => patchWork(place, work, { state: 'started' }, options),

        review: (place, work, state, note, options) => patchWork(place, work, { state, ...note === undefined ? {} : { note } }, options)
    };
}
