import { missing, readable } from '../../api/errors/registry';
import { operations } from '../../api/description/operation';
import { projectListBody, projectWithStatsBody } from '../../api/representations/project';
import { MAX_LAG } from '../../limits';
import { featuredTags, viewed } from './schema';

const listed = { answers: { 200: projectListBody }, headers: ['ETag', 'Link'] } as const;

export const discoveryOperation = operations('Discovery', {
    listFeaturedProjects: {
        summary: 'List featured projects',
        notes: `Newest first. The list may lag by ${MAX_LAG} seconds.`,
        ...listed
    },
    listFeaturedProjectsFor: {
        summary: 'List featured projects for readers of a language',
        notes: `Projects of authors with that language come first, then those with the same primary language (\`pt\` for \`pt-BR\`), then all others; newest first in each group. The list may lag by ${MAX_LAG} seconds.`,
        ...listed
    },
    listFeaturedTags: {
        summary: 'List featured tags',
        notes: `The tags in the setting \`FEATURED_TAGS\`, or else the ten most frequent tags of featured projects. The list may lag by ${MAX_LAG} seconds.`,
        answers: { 200: featuredTags },
        headers: ['ETag']
    },
    listProjects: {
        summary: 'List all projects',
        notes: `Newest first. The list may lag by ${MAX_LAG} seconds.`,
        ...listed
    },
    listTaggedProjects: {
        summary: 'List the projects with a tag',
        notes: `Newest first. The list may lag by ${MAX_LAG} seconds.`,
        ...listed
    },
    search: {
        summary: 'Search projects',
        notes: `Finds public projects that contain all words, in the title, the description, the tags or the author's name. Projects with all words as whole words in the title come first, then those with all words in the title, then those with all words in title, tags and author's name, then all others; newest first in each group. Changes are found within ${MAX_LAG} seconds. A page of results may have fewer items than \`count\` although there are more: go on with \`next\`.`,
        ...listed
    },
    listTrending: {
        summary: 'List trending projects',
        notes: `Public projects with the most viewers and remixes of the last days. A viewer counts once a day, and a remix as much as four viewers. Each counts half as much with every day that passes, and a project leaves the list after a week without any. The list may lag by ${MAX_LAG} seconds.`,
        ...listed
    },
    findProject: {
        summary: 'Read a project with its counters',
        notes: `Only the id of the project is needed. The counters may lag by ${MAX_LAG} seconds.`,
        answers: { 200: projectWithStatsBody },
        headers: ['ETag'],
        errors: readable
    },
    viewProject: {
        summary: 'Count a view of a project',
        notes: 'Each viewer counts once a day (UTC). A viewer is a user or, without a token, a combination of network address and user agent. Views by the author do not count.',
        answers: { 200: viewed },
        errors: missing
    }
});
