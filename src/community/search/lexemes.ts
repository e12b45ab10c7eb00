import { createHash } from 'node:crypto';

import { usernameKey } from '../../api/representations/username';
import { normalTag } from '../../rules/tags';
import type { Term } from './words';
import { wordsOf } from './words';

/*
 * The content of the index for a project: its words by their places, and what a search can be limited to. Each begins with the number of
 * the project's block: projects are searched in blocks of neighbouring ids, the newest first, so that a word that half of all projects
 * have costs no more than one that a few have.
 */

/** Projects of one block. The statements in queries.ts go by it too. */
export const BLOCK = 16_384;

/** A placeholder for the number of the block in a query. No word contains it. */
export const BLOCK_MARK = '~';

/** Where a word is, each with what is as good a match: in the title, among the tags or in the author's name, in the description. */
const places = [['t'], ['h', 'a'], ['d']] as const;

/** The places and limits of what a project has of its author, whose name and language are changed in all their projects at once. */
export const OF_AUTHOR = 'aul';

/** The fields by which a project is found. */
export interface Searchable {
    id: string;
    title: string;
    description: string;
    tags: readonly string[];
    username: string;
    language: string;
}

/** A tag may be longer than a lexeme can. */
const tagLexeme = (tag: string): string => `g${createHash('md5').update(normalTag(tag)).digest('hex')}`;
const authorLexeme = (username: string): string => `u${usernameKey(username)}`;
const languageLexeme = (language: string): string => `l${language.toLowerCase()}`;

/** The primary language of a tag: `pt` of `pt-BR`. */
const primaryOf = (language: string): string => language.split(/[^A-Za-z0-9]/, 1).join('');

const wordsAt = (place: string, text: string): string[] => [...wordsOf(text)].map((word) => `${place}${word}`);

/** The lexemes that a project has of its author, without the number of its block. */
export function lexemesOfAuthor({ username, language }: Pick<Searchable, 'username' | 'language'>): string[] {
    return [...wordsAt('a', username), authorLexeme(username), ...new Set([languageLexeme(language), languageLexeme(primaryOf(language))])];
}

/** The lexemes of a project. */
export function lexemesOf({ id, title, description, tags, ...author }: Searchable): string[] {
    const block = BigInt(id) / BigInt(BLOCK);
    return [...wordsAt('t', title), ...wordsAt('h', tags.join(' ')), ...wordsAt('d', description), ...tags.map(tagLexeme), ...lexemesOfAuthor(author)].map((lexeme) => `${block}${lexeme}`);
}

/** The limits of a search. */
export interface Filters {
    language?: string | undefined;
    tag?: string | undefined;
    author?: string | undefined;
}

const lexeme = (text: string, begins: boolean): string => `'${BLOCK_MARK}${text}'${begins ? ':*' : ''}`;

/** The part of a query that finds a word at some of the places. */
const at = (among: readonly string[], { text, begins }: Term): string => `(${among.map((place) => lexeme(`${place}${text}`, begins)).join(' | ')})`;

/**
 * The queries whose results, one after the other, are the result of the search, best matches first, each project once: all words whole in the
 * title; all in the title; all in title, tags and author's name; all anywhere. Each is a tsquery with a mark for the block.
 */
export function questionsOf(terms: readonly Term[], { language, tag, author }: Filters): string[] {
    const narrowed = [
        ...language === undefined ? [] : [lexeme(languageLexeme(language), false)],
        ...tag === undefined ? [] : [lexeme(tagLexeme(tag), false)],
        ...author === undefined ? [] : [lexeme(authorLexeme(author), false)]
    ];
    const whole = terms.some(({ begins, isWord }) => begins && isWord) ? [terms.map((term) => at(['t'], { ...term, begins: term.begins && !term.isWord })).join(' & ')] : [];
    const steps = [...whole, ...places.map((_place, last) => terms.map((term) => at(places.slice(0, last + 1).flat(), term)).join(' & '))];
    return steps.map((step, n) => [...narrowed, step, ...n === 0 ? [] : [`!(${steps[n - 1]})`]].join(' & '));
}
