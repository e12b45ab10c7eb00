import { basilGuide, basilInSpanish } from './basil';
import { caravanStory } from './caravan';
import { harbour } from './harbour';
import { moonShapes } from './moon';
import { beastsInEnglish, foxPage, pixelBeasts } from './pixels';
import { skyQuiz } from './quiz';
import { robotComic } from './robot';
import { windowSeasons } from './seasons';
import { skyClass } from './sky-class';
import { snowPoem } from './snow';
import { communityTour } from './tour';

import type { ClassSeed, PersonSeed, ProjectSeed, RemixSeed } from '../pieces';

/** Who features projects, once an operator has made them a moderator. */
export const moderator = 'curator';

export const people: PersonSeed[] = [
    { username: 'juniper', language: 'en' },
    { username: 'lucia_mar', language: 'es' },
    { username: 'tiago-luz', language: 'pt-BR' },
    { username: 'vera_ink', language: 'ru' },
    { username: 'salma_h', language: 'ar' },
    { username: 'haruka', language: 'ja' },
    { username: 'meera', language: 'hi' },
    { username: moderator, language: 'en' }
];

/** In order of making: a project links only to those before it. */
export const projects: ProjectSeed[] = [
    pixelBeasts, harbour, moonShapes, basilGuide, robotComic, snowPoem, caravanStory, windowSeasons, skyQuiz, communityTour
];

export const classes: ClassSeed[] = [skyClass];

export const remixes: RemixSeed[] = [
    {
        source: 'basil',
        author: 'lucia_mar',
        language: 'es',
        title: 'Albahaca en la ventana en cinco pasos',
        description: 'La guía de Tiago, en español y con el mismo sol. 🌿 #pasoapaso #jardín #albahaca',
        words: basilInSpanish,
        pages: []
    },
    {
        source: 'pixels',
        author: 'juniper',
        language: 'en',
        title: 'Twelve-pixel beasts, plus one fox',
        description: 'Tiago’s beasts in English, and an uninvited guest. 🦊 #pixelart #remix #fox',
        words: beastsInEnglish,
        pages: [foxPage]
    }
];
