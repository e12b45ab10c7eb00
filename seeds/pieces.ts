/**
 * The types and helpers for the demo community: people, projects, pages and elements as plain data, before they have ids.
 * A page is a sheet of 320 × 480 units; `left`, `top`, `width`, `height` and `fontSize` are numbers in those units,
 * everything else in `styles` is named and valued as in CSS.
 */

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

export type JsonObject = { [key: string]: Json };

/** Where a link goes: a page of the same project by its name, or another project by its key (and a page of it). */
export interface Target {
    project?: string;
    page?: string;
}

export interface ElementSeed {
    type: 'text' | 'image' | 'link' | 'button';
    attributes: JsonObject;
    styles: JsonObject;
    target?: Target;
}

export interface PageSeed {
    /** The name of the page in links of this project and of others; not sent to the API. */
    name: string;
    x: number;
    y: number;
    styles: JsonObject;
    elements: ElementSeed[];
}

export interface ProjectSeed {
    /** The name of the project in links of other projects and in remixes; not sent to the API. */
    key: string;
    author: string;
    language: string;
    rightToLeft?: boolean;
    title: string;
    description: string;
    featured: boolean;
    pages: PageSeed[];
}

export interface PersonSeed {
    username: string;
    language: string;
}

/** A remix, and what its new author then changes in it. */
export interface RemixSeed {
    source: string;
    author: string;
    language: string;
    title: string;
    description: string;
    /** Texts of the source (`text`, `alt` or `reveals`), and their replacements in the remix. */
    words: Record<string, string>;
    /** Pages the remix adds to the copied ones. */
    pages: PageSeed[];
}

/** A class, and what is in it. Pupils are named by the name in the class, if it made their account, or else by their username. */
export interface ClassSeed {
    title: string;
    teacher: string;
    /** pupils whose accounts the class makes */
    names: string[];
    /** people who join by the code */
    joins: string[];
    /** projects that the whole class is shown, by their keys, each by its author */
    shown: { project: string; by: string }[];
    assignment: { title: string; text: string; template: string };
    /** what is done for the assignment; with a note if the teacher has returned it */
    works: { by: string; title: string; isHandedIn: boolean; note?: string }[];
}

export const page = function (name: string, x: number, y: number, backgroundColor: string, elements: ElementSeed[]): PageSeed {
    return { name, x, y, styles: { backgroundColor }, elements };
};

export const text = function (words: string, left: number, top: number, width: number, styles: JsonObject = {}): ElementSeed {
    return { type: 'text', attributes: { text: words }, styles: { left, top, width, ...styles } };
};

/** @param alt what somebody who cannot see the picture should know; never empty. */
export const image = function (src: string, alt: string, left: number, top: number, width: number, height: number, styles: JsonObject = {}): ElementSeed {
    return { type: 'image', attributes: { src, alt }, styles: { left, top, width, height, ...styles } };
};

export const link = function (words: string, target: Target, left: number, top: number, width: number, styles: JsonObject = {}): ElementSeed {
    return { type: 'link', attributes: { text: words }, styles: { left, top, width, ...styles }, target };
};

/** A button that shows more text in its place, such as the answer to a riddle. */
export const button = function (words: string, reveals: string, left: number, top: number, width: number, styles: JsonObject = {}): ElementSeed {
    return { type: 'button', attributes: { text: words, reveals }, styles: { left, top, width, ...styles } };
};
