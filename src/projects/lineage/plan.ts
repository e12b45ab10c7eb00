import { pauses } from '../../api/concurrency/yielding';
import { defined } from '../../api/errors/defined';
import { run, runAlways, signalOfTransaction } from '../../database/statements/statement';
import type { Database } from '../../database/statements/connection';
import { fault } from '../../api/errors/errors';
import { MAX_CHANGED } from '../../limits';
import type { Skipped } from '../history/restore';
import { changedElements, changedIds, changedPages, copiedPages, placesOf } from './changed';
import type { Changed, ChangedElement, ChangedPage } from './changed';
import { namesOf, readContents } from './contents';
import type { ComparedContents } from './contents';
import { mergeThing } from './merge-thing';
import type { MergedThing, Take } from './merge-thing';
import { findPlaces } from './places';
import type { Placed } from './places';
import type { SourceChange, NewPage, Span, PullTarget } from './targets';

/** Elements that are read together. */
const TOGETHER = 1000;

interface Options {
    /** null if conflicts are only listed */
    take: Take | null;
    /** whether what a moderator removed may come back */
    moderator: boolean;
    /** whether everything that differs is compared, and not only what both sides changed */
    all: boolean;
    /** makes ids for new pages */
    draw(db: Database, count: number): Promise<string[]>;
}

/** The changes of the source, and the writes that bring them into the remix. */
export class PullPlan {
    readonly changes: SourceChange[] = [];
    readonly skipped: Skipped[] = [];
    readonly pages = new Map<string, PullTarget>();
    readonly elements: PullTarget[] = [];
    readonly newPages: NewPage[] = [];
    readonly newElements: { source_id: string; page_id: string }[] = [];
    /** pages of the source that come back with what is on them there */
    readonly again: string[] = [];
    /** pages of the remix that come back with what was on them */
    readonly back = new Set<string>();
    copies: Record<string, string> = {};
    readonly #span: Span;
    readonly #options: Options;
    /** the change of each page of the remix */
    readonly #changeOf = new Map<string, SourceChange>();

    constructor(span: Span, options: Options) {
        this.#span = span;
        this.#options = options;
    }

    /** @throws 409 if the source changed more than can be compared */
    async make(db: Database): Promise<void> {
        const { remix, source, since, revision } = this.#span;
        const place = [remix, source, since, revision];
        const { copies } = await runAlways(db, copiedPages, [remix]);
        const pages = (await run(db, changedPages, [...place, JSON.stringify(copies)])).filter((page) => this.#mayReturn('page', page));
        const made = pages.filter((page) => page.is && page.id === null && (!page.was || this.#options.take === 'theirs'));
        const ids = await this.#options.draw(db, made.length);
        made.forEach((page, index) => this.#addPage(page, defined(ids[index])));
        this.copies = { ...copies, ...Object.fromEntries(this.newPages.map(({ id, source_id: of }) => [of, id])) };
        const pagesOfRemix = JSON.stringify(this.copies);
        const known = pages.filter((page) => page.is && page.id !== null && (page.was || page.here)).map((page) => page.source_id);
        const { ids: touched } = await runAlways(db, changedIds, [source, since, known]);
        if (touched.length > MAX_CHANGED) {
            throw fault('upstream_too_large');
        }

        const elements: ChangedElement[] = [];
        for (let from = 0; from < touched.length; from += TOGETHER) {
            const found = await run(db, changedElements, [...place, known, pagesOfRemix, touched.slice(from, from + TOGETHER)]);
            elements.push(...found.filter((element) => this.#mayReturn('element', element)));
        }

        const contents = await readContents(db, place, pagesOfRemix, { page: pages, element: elements }, this.#options.all);
        // Most things are small, so that merging one of them is never long enough to pause.
        const pause = pauses();
        for (const page of pages) {
            await this.#planPage(page, contents.page.get(page.source_id));
            await pause();
        }

        const gone = new Set(pages.filter((page) => !page.here).map((page) => page.source_id));
        for (const element of elements) {
            await this.#planElement(element, gone.has(element.source_page), contents.element.get(element.source_id));
            await pause();
            signalOfTransaction(db)?.throwIfAborted();
        }

        this.#findPlaces(pages, await run(db, placesOf, [remix]));
    }

    /** Whether something may come back, if it is gone: not if a moderator removed it. */
    #mayReturn(type: Skipped['type'], { id, is, here, moderated }: Changed): boolean {
        const isBarred = is && !here && moderated && !this.#options.moderator;
        if (isBarred) {
            this.skipped.push({ type, id: String(id) });
        }

        return !isBarred;
    }

    #add(type: SourceChange['type'], { id, source_id: of }: { id: string | null; source_id: string }, method: SourceChange['method'], conflicts: string[] | null, fields: string[] = []): SourceChange {
        const change = { type, id, source_id: of, method, fields, conflicts };
        this.changes.push(change);
        return change;
    }

    #addPage({ place, ...page }: ChangedPage, id: string): void {
        this.newPages.push({ id, source_id: page.source_id, x: Number(place?.x), y: Number(place?.y) });
    }

    get #take(): Take | undefined {
        return this.#options.take ?? undefined;
    }

    /** Removes what the source removed, unless the remix has changed it. */
    #remove(type: 'page' | 'element', thing: Changed, isOwn: boolean): void {
        if (thing.here) {
            this.#add(type, thing, 'remove', isOwn ? [] : null);
            if (!isOwn || this.#take === 'theirs') {
                this.#write(type, { id: String(thing.id), source_id: thing.source_id, shown: false, theirs: [] });
            }
        }
    }

    #write(type: 'page' | 'element', target: PullTarget): void {
        if (type === 'page') {
            this.pages.set(target.id, target);
        }
        else {
            this.elements.push(target);
        }
    }

    /** Merges what both sides have. */
    async #merge(type: 'page' | 'element', thing: Changed, contents: ComparedContents = new Map()): Promise<MergedThing> {
        const merged = await mergeThing(thing, contents, this.#take);
        const target = { id: String(thing.id), source_id: thing.source_id, shown: true, theirs: merged.theirs, ...merged.columns };
        this.#write(type, target);
        return merged;
    }

    async #planPage(page: ChangedPage, contents: ComparedContents | undefined): Promise<void> {
        const names = namesOf(page);
        if (!page.is) {
            this.#remove('page', page, page.mixed || page.ours.length > 0);
        }
        else if (page.here) {
            if (names.length > 0) {
                const { changed, conflicts } = await this.#merge('page', page, contents);
                this.#changeOf.set(String(page.id), this.#add('page', page, page.was ? 'update' : 'create', conflicts.length === 0 ? null : conflicts, changed));
            }
        }
        else if (!page.was) {
            const change = this.#add('page', page, 'create', null);
            if (page.id !== null) {
                this.again.push(page.source_id);
                this.#write('page', { id: page.id, source_id: page.source_id, shown: true, theirs: ['styles'], ...page.place });
            }

            this.#changeOf.set(String(this.copies[page.source_id]), change);
        }
        else if (page.id === null || names.length > 0) {
            const { changed } = await mergeThing(page, contents ?? new Map());
            this.#add('page', page, 'update', [], changed);
            if (page.id !== null && this.#take === 'theirs') {
                this.back.add(page.id);
                await this.#merge('page', page, contents);
            }
        }
    }

    async #planElement(element: ChangedElement, isPageGone: boolean, contents: ComparedContents | undefined): Promise<void> {
        const names = namesOf(element);
        if (!element.is) {
            this.#remove('element', element, element.ours.length > 0);
        }
        else if (element.here) {
            if (names.length > 0) {
                const { changed, conflicts } = await this.#merge('element', element, contents);
                this.#add('element', element, element.was ? 'update' : 'create', conflicts.length === 0 ? null : conflicts, changed);
            }
        }
        else if (!element.was || names.length > 0) {
            const isConflict = element.was || isPageGone;
            const { changed } = await mergeThing(element, contents ?? new Map());
            this.#add('element', element, element.was ? 'update' : 'create', isConflict ? [] : null, changed);
            if (!isConflict || this.#take === 'theirs') {
                await this.#bringBack(element, isPageGone, contents);
            }
        }
    }

    /** Makes an element, or restores the one that was removed; with its page if that was removed. */
    async #bringBack(element: ChangedElement, isPageGone: boolean, contents: ComparedContents | undefined): Promise<void> {
        if (isPageGone) {
            this.back.add(element.page);
        }

        if (element.id === null) {
            this.newElements.push({ source_id: element.source_id, page_id: element.page });
        }
        else if (element.was) {
            await this.#merge('element', element, contents);
        }
        else {
            this.elements.push({ id: element.id, source_id: element.source_id, shown: true, theirs: Object.keys(element.bytes) });
        }
    }

    /** Gives each page a place of its own. If two pages want the same place, `take` says which of them keeps it. */
    #findPlaces(changed: readonly ChangedPage[], own: readonly { id: string; x: number; y: number }[]): void {
        const keeps = (isTheirs: boolean): boolean => isTheirs === (this.#take === 'theirs');
        const placed = new Map<string, Placed>(own.map((page) => [page.id, { ...page, keeps: keeps(false) }]));
        for (const id of this.back) {
            this.#targetOf(id);
        }

        for (const { id, shown, x, y } of this.pages.values()) {
            const last = changed.find((page) => page.id === id)?.own;
            if (!shown) {
                placed.delete(id);
            }
            else if (x !== undefined || y !== undefined || this.back.has(id)) {
                placed.set(id, { id, x: Number(x ?? last?.x), y: Number(y ?? last?.y), keeps: keeps(true) });
            }
        }

        this.newPages.forEach(({ id, x, y }) => placed.set(id, { id, x, y, keeps: keeps(true) }));
        for (const { id, x, y } of findPlaces([...placed.values()])) {
            const change = this.#changeOf.get(id);
            if (change !== undefined) {
                change.conflicts = [...new Set([...change.conflicts ?? [], '/position'])];
            }

            Object.assign(this.newPages.find((page) => page.id === id) ?? this.#targetOf(id), { x, y });
        }
    }

    #targetOf(id: string): PullTarget {
        const target = this.pages.get(id) ?? { id, shown: true, theirs: [] };
        this.pages.set(id, target);
        return target;
    }
}
