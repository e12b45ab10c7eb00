import type { Dice } from '../../test/support/dice';
import { PASSWORD } from './sender';
import type { Sender, Told } from './sender';
import { elementModel, pageModel, projectModel } from './model';
import type { ElementModel, ElementShown, PageModel, PageShown, ProjectModel, ProjectShown } from './model';
import type { Call } from './wire';

/** How often each action is chosen. */
const weights = {
    project: 3, page: 8, element: 18, 'edited element': 24, 'moved page': 6, 'renamed project': 5, bulk: 14, remix: 8,
    'deleted element': 4, 'deleted page': 2, 'deleted project': 1, view: 4, clash: 2
};

/** The most live projects of an author, besides remixes. */
const MOST = 4;

/** Creations in one bulk, besides the project and its two pages. */
const SIZES = [4, 12, 40, 120];

/** An author with an account, and everything that must be stored for it. */
export class Author {
    readonly id: string;
    readonly username: string;
    readonly projects = new Map<string, ProjectModel>();
    /** never edited, so each remix must have all of it */
    readonly source: ProjectModel;
    readonly views = { acknowledged: 0, lost: 0 };
    readonly token: string;
    /** paths of the things deleted last */
    readonly deleted: string[] = [];
    readonly #load: Sender;
    readonly #dice: Dice;

    private constructor(load: Sender, dice: Dice, { id, username, token }: Account, source: ProjectModel) {
        this.#load = load;
        this.#dice = dice;
        this.id = id;
        this.username = username;
        this.token = token;
        this.source = source;
    }

    static async open(load: Sender, dice: Dice): Promise<Author> {
        const account = await openAccount(load, dice);
        const bulk = async (actions: object[]): Promise<Told> => {
            return await must(load, 'bulk', { method: 'POST', path: `/users/${account.id}/bulk`, body: { actions }, token: account.token, key: load.journal.mark('open-source') }, dice);
        };

        const mark = load.journal.mark('source');
        const { body: { results } } = await bulk(creations(mark, dice.between(3, 6), dice.between(2, 8)));
        const { body: { results: links } } = await bulk(linksBetween(modelOf(results), mark));
        load.journal.made('bulk', mark, results.length + links.length, true);
        return new Author(load, dice, account, modelOf([...results, ...links]));
    }

    /** The path of one of this author's projects, or of something in it. */
    pathOf(project: ProjectModel, page?: PageModel, element?: ElementModel): string {
        return `/users/${this.id}/projects/${project.id}${page ? `/pages/${page.id}` : ''}${element ? `/elements/${element.id}` : ''}`;
    }

    /** Does one random action. Resolves when its outcome is known. */
    async step(): Promise<void> {
        const kind = this.#dice.weighted(weights);
        const project = this.#dice.pick([...this.projects.values()]);
        if (project === undefined || kind === 'project') {
            return await (project === undefined || this.projects.size < MOST ? this.#createProject() : this.#deleteProject(project));
        }

        switch (kind) {
            case 'bulk':
                return await (this.projects.size < MOST ? this.#bulk(project) : this.#deleteProject(project));
            case 'remix':
                return await this.#remix();
            case 'view':
                return await this.#view();
            case 'renamed project':
                return await this.#rename(project);
            case 'deleted project':
                return await this.#deleteProject(project);
            default:
                return await this.#inProject(kind, project);
        }
    }

    async #inProject(kind: string, project: ProjectModel): Promise<void> {
        const page = this.#dice.pick([...project.pages.values()]);
        if (page === undefined || kind === 'page') {
            return await this.#createPage(project);
        }

        if (kind === 'clash') {
            return await this.#clash(project, page);
        }

        if (kind === 'moved page') {
            return await this.#move(project, page);
        }

        if (kind === 'deleted page') {
            return await this.#delete('deleted page', this.pathOf(project, page), undefined, () => project.pages.delete(page.id));
        }

        const element = this.#dice.pick([...page.elements.values()]);
        if (element === undefined || (kind === 'element' && page.elements.size < 150)) {
            return await this.#createElement(project, page);
        }

        if (kind === 'deleted element') {
            return await this.#delete('deleted element', this.pathOf(project, page, element), element.revision, () => page.elements.delete(element.id));
        }

        await this.#edit(project, page, element);
    }

    async #write(kind: string, call: Omit<Call, 'token'>, mark?: string): Promise<Told | null> {
        const key = mark !== undefined && this.#dice.chance(this.#load.keyed) ? `key-of-${mark}` : undefined;
        return await this.#load.write(kind, { ...call, token: this.token, key }, this.#dice);
    }

    #unexpected(kind: string, told: Told): void {
        this.#load.journal.find(`${kind} of ${this.username} got ${told.status}: ${JSON.stringify(told.body).slice(0, 300)}`);
    }

    /** The outcome of a creation without a key whose response was lost: `look` finds out whether it was done. */
    async #lost(kind: string, mark: string, rows: number, look: () => Promise<boolean>): Promise<void> {
        const { journal } = this.#load;
        if (await look()) {
            journal.found.add('found done');
            journal.made(kind, mark, rows, false);
        }
        else {
            journal.found.add('found undone');
            journal.unmade(kind, mark, rows);
        }
    }

    async #createProject(): Promise<void> {
        const { journal } = this.#load;
        const mark = journal.mark('project');
        const told = await this.#write('project', { method: 'POST', path: `/users/${this.id}/projects`, body: { title: mark, description: mark } }, mark);
        if (told === null) {
            return await this.#lost('project', mark, 1, async () => await this.#adopt(mark));
        }

        if (told.status !== 201) {
            return this.#unexpected('project', told);
        }

        journal.made('project', mark, 1, true);
        this.projects.set(told.body.project.id, projectModel(told.body.project, [told.body.page]));
    }

    /** Adds the project with this mark to the known ones; returns false if there is none. */
    async #adopt(mark: string): Promise<boolean> {
        const { body } = await this.#load.read(`/users/${this.id}/projects?count=100`, this.#dice);
        const shown = body.projects.find(({ description }: ProjectShown) => description === mark);
        if (shown !== undefined) {
            this.projects.set(shown.id, projectModel(shown, await this.#pagesOf(shown.id)));
        }

        return shown !== undefined;
    }

    async #pagesOf(id: string): Promise<PageShown[]> {
        const { body } = await this.#load.read(`/users/${this.id}/projects/${id}/pages`, this.#dice);
        return body.pages;
    }

    async #createPage(project: ProjectModel): Promise<void> {
        const { journal } = this.#load;
        const mark = journal.mark('page');
        const body = { ...freePlace(project, this.#dice), styles: { born: mark } };
        const told = await this.#write('page', { method: 'POST', path: `${this.pathOf(project)}/pages`, body }, mark);
        if (told === null) {
            return await this.#lost('page', mark, 1, async () => {
                const shown = (await this.#pagesOf(project.id)).find(({ styles }) => 'born' in styles && styles.born === mark);
                if (shown !== undefined) {
                    project.pages.set(shown.id, pageModel(shown));
                }

                return shown !== undefined;
            });
        }

        if (told.status !== 201) {
            return this.#unexpected('page', told);
        }

        journal.made('page', mark, 1, true);
        project.pages.set(told.body.page.id, pageModel(told.body.page));
    }

    /** Tries to create a page at the place of another one. */
    async #clash(project: ProjectModel, { x, y }: PageModel): Promise<void> {
        const { journal } = this.#load;
        const mark = journal.mark('clash');
        const told = await this.#write('clash', { method: 'POST', path: `${this.pathOf(project)}/pages`, body: { x, y, styles: { born: mark } } }, mark);
        if (told !== null && told.body.code !== 'coordinates_taken') {
            this.#unexpected('clash', told);
        }

        journal.unmade('clash', mark, 1);
    }

    async #createElement(project: ProjectModel, page: PageModel): Promise<void> {
        const { journal } = this.#load;
        const mark = journal.mark('element');
        const body = { type: 'text', attributes: { text: `Line ${mark}` }, styles: { born: mark } };
        const told = await this.#write('element', { method: 'POST', path: `${this.pathOf(project, page)}/elements`, body }, mark);
        if (told === null) {
            return await this.#lost('element', mark, 1, async () => {
                const { body: { elements } } = await this.#load.read(`${this.pathOf(project, page)}/elements`, this.#dice);
                const shown = elements.find(({ styles }: ElementShown) => 'born' in styles && styles.born === mark);
                if (shown !== undefined) {
                    page.elements.set(shown.id, elementModel(shown));
                }

                return shown !== undefined;
            });
        }

        if (told.status !== 201) {
            return this.#unexpected('element', told);
        }

        journal.made('element', mark, 1, true);
        page.elements.set(told.body.element.id, elementModel(told.body.element));
    }

    async #edit(project: ProjectModel, page: PageModel, element: ElementModel): Promise<void> {
        const attributes = { text: `Edited ${this.#load.journal.mark('edit')}` };
        const { revision } = element;
        const shown = await this.#change('edited element', this.pathOf(project, page, element), { attributes, revision }, 'element', (now) => JSON.stringify(now.attributes) === JSON.stringify(attributes));
        if (shown !== undefined) {
            Object.assign(element, { attributes, revision: revision + 1 });
        }
    }

    async #move(project: ProjectModel, page: PageModel): Promise<void> {
        const place = freePlace(project, this.#dice);
        const { revision } = await this.#current(this.pathOf(project, page), 'page');
        const shown = await this.#change('moved page', this.pathOf(project, page), { ...place, revision }, 'page', (now) => now.x === place.x && now.y === place.y);
        if (shown !== undefined) {
            Object.assign(page, place, { revision: revision + 1 });
        }
    }

    async #rename(project: ProjectModel): Promise<void> {
        const title = this.#load.journal.mark('title');
        const { revision } = await this.#current(this.pathOf(project), 'project');
        const shown = await this.#change('renamed project', this.pathOf(project), { title, revision }, 'project', (now) => now.title === title);
        if (shown !== undefined) {
            Object.assign(project, { title, revision: revision + 1 });
        }
    }

    async #current(path: string, name: string): Promise<{ revision: number }> {
        const { body } = await this.#load.read(path, this.#dice);
        return body[name];
    }

    /**
     * Changes a thing that nobody else changes, with its revision, which must grow by one. If the request is repeated after a
     * lost response, it may be rejected because the first one was done; then the stored thing must be the changed one.
     */
    async #change(kind: string, path: string, body: { revision: number } & Record<string, unknown>, name: string, isIt: (now: Record<string, unknown>) => boolean): Promise<unknown> {
        const told = await this.#write(kind, { method: 'PATCH', path, body });
        const shown = told?.status === 200 ? told.body[name] : told?.again && told.body.code === 'revision_conflict' ? told.body.current : undefined;
        if (told === null || shown === undefined) {
            return told === null ? undefined : this.#unexpected(kind, told);
        }

        if (shown.revision !== body.revision + 1 || !isIt(shown)) {
            this.#load.journal.find(`${kind}: ${path} was changed from revision ${body.revision} on, and is ${JSON.stringify(shown).slice(0, 300)}`);
        }

        return shown;
    }

    async #delete(kind: string, path: string, revision: number | undefined, forget: () => unknown): Promise<void> {
        const told = await this.#write(kind, { method: 'DELETE', path, body: revision === undefined ? undefined : { revision } });
        if (told === null || !(told.status === 200 || (told.again && told.status === 404))) {
            return told === null ? undefined : this.#unexpected(kind, told);
        }

        forget();
        this.deleted.push(path);
        this.deleted.splice(0, this.deleted.length - 5);
    }

    async #deleteProject(project: ProjectModel): Promise<void> {
        await this.#delete('deleted project', this.pathOf(project), undefined, () => this.projects.delete(project.id));
    }

    /** A bulk that creates a project with two pages, edits an existing element and removes another. */
    async #bulk(project: ProjectModel): Promise<void> {
        const { journal } = this.#load;
        const mark = journal.mark('bulk');
        const elements = this.#dice.pick(SIZES) ?? 0;
        const places = [...project.pages.values()].flatMap((page) => [...page.elements.values()].map((element) => ({ page, element })));
        const edited = this.#dice.pick(places);
        const removed = this.#dice.pick(places.filter(({ element }) => element.id !== edited?.element.id));
        const attributes = { text: `Edited ${mark}` };
        const actions = [
            ...creations(mark, 2, elements / 2),
            ...edited ? [{ type: 'elements', method: 'update', data: { id: edited.element.id, attributes, revision: edited.element.revision } }] : [],
            ...removed ? [{ type: 'elements', method: 'remove', data: { id: removed.element.id, revision: removed.element.revision } }] : []
        ];
        const rows = 3 + elements;
        const told = await this.#write('bulk', { method: 'POST', path: `/users/${this.id}/bulk`, body: { actions } }, mark);
        const apply = (): void => {
            if (edited !== undefined) {
                Object.assign(edited.element, { attributes, revision: edited.element.revision + 1 });
            }

            removed?.page.elements.delete(removed.element.id);
        };

        if (told === null) {
            return await this.#lost('bulk', mark, rows, async () => {
                const done = await this.#adopt(mark);
                if (done) {
                    apply();
                }

                return done;
            });
        }

        if (told.status !== 200 || told.body.results.length !== actions.length) {
            return this.#unexpected('bulk', told);
        }

        journal.made('bulk', mark, rows, true);
        const made = modelOf(told.body.results.slice(0, rows));
        this.projects.set(made.id, made);
        apply();
    }

    async #remix(): Promise<void> {
        const { journal } = this.#load;
        const path = `${this.pathOf(this.source)}/remixes`;
        const told = await this.#write('remix', { method: 'POST', path }, journal.mark('remix'));
        if (told === null) {
            const known = journal.remixes.get(this.source.id) ?? new Set();
            const { body } = await this.#load.read(path, this.#dice);
            const others = body.projects.filter(({ id }: ProjectShown) => !known.has(id));
            journal.found.add(others.length > 0 ? 'found done' : 'found undone');
            if (others.length > 1) {
                journal.find(`a remix of project ${this.source.id} that was sent once is there ${others.length} times`);
            }

            others.forEach(({ id }: ProjectShown) => journal.remixed(this.source.id, id));
            return;
        }

        if (told.status !== 201) {
            return this.#unexpected('remix', told);
        }

        journal.remixed(this.source.id, told.body.project.id);
    }

    /** A view by a new viewer. */
    async #view(): Promise<void> {
        const agent = this.#load.journal.mark('viewer');
        const told = await this.#load.write('view', { method: 'POST', path: `/view-project/${this.source.id}`, agent }, this.#dice);
        if (told === null) {
            this.views.lost++;
        }
        else if (told.status === 200 && told.body.counted) {
            this.views.acknowledged++;
        }
        else {
            this.#unexpected('view', told);
        }
    }
}

export interface Account {
    id: string;
    username: string;
    token: string;
}

export async function openAccount(load: Sender, dice: Dice): Promise<Account> {
    const username = load.journal.mark('user');
    const told = await must(load, 'account', { method: 'POST', path: '/users', body: { username, password: PASSWORD }, key: `key-of-${username}` }, dice);
    load.journal.usernames.add(username);
    return { id: told.body.user.id, username, token: told.body.token.access_token };
}

/** A write that must succeed. */
export async function must(load: Sender, kind: string, call: Call, dice: Dice): Promise<Told> {
    const told = await load.write(kind, call, dice);
    if (told === null || told.status >= 300) {
        throw new Error(`${kind} returned ${told?.status}: ${JSON.stringify(told?.body).slice(0, 300)}`);
    }

    return told;
}

/** Bulk actions that create a project with pages, and elements on each; all of them carry the mark. */
function creations(mark: string, pages: number, elements: number): object[] {
    const numbers = (length: number): number[] => Array.from({ length }, (_none, n) => n);
    return [
        { type: 'projects', method: 'create', data: { title: mark, description: mark } },
        ...numbers(pages).map((x) => ({ type: 'pages', method: 'create', data: { projectId: '$0.id', x, y: 0, styles: { born: mark } } })),
        ...numbers(pages).flatMap((page) => numbers(elements).map((n) => ({
            type: 'elements', method: 'create', data: { pageId: `$${page + 1}.id`, type: 'text', attributes: { text: `Line ${n}` }, styles: { born: mark } }
        })))
    ];
}

/** Links from the first page to each page of the project; in a remix they must lead to its own pages. */
function linksBetween({ pages }: ProjectModel, mark: string): object[] {
    const [first] = pages.keys();
    return [...pages.keys()].map((targetPageId) => ({
        type: 'elements', method: 'create', data: { pageId: first, type: 'link', attributes: { targetPageId, text: 'Go' }, styles: { born: mark } }
    }));
}

type ResultShown = (ProjectShown | PageShown | ElementShown) & { type: string; page_id?: string };

/** The results of a bulk that creates one project. */
function modelOf(results: ResultShown[]): ProjectModel {
    const of = <Shown>(type: string): Shown[] => results.filter((result) => result.type === type) as Shown[];
    const [shown] = of<ProjectShown>('projects');
    if (shown === undefined) {
        throw new Error('The bulk returned no project');
    }

    const elements = of<ElementShown & { page_id: string }>('elements');
    const pages = of<PageShown>('pages').map((page) => ({ ...page, elements: elements.filter(({ page_id: id }) => id === page.id) }));
    return projectModel(shown, pages);
}

/** A free place for a page of the project. */
function freePlace({ pages }: ProjectModel, dice: Dice): { x: number; y: number } {
    const taken = new Set([...pages.values()].map(({ x, y }) => `${x} ${y}`));
    for (;;) {
        const place = { x: dice.between(-50, 50), y: dice.between(-50, 50) };
        if (!taken.has(`${place.x} ${place.y}`)) {
            return place;
        }
    }
}
