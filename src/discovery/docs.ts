import { missing, readable } from '../errors/registry';
import { operations } from '../openapi/operation';
import { projectList, projectWithStatsBody } from '../representations/project';
import { featuredTags, viewed } from './schema';

const listed = { answers: { 200: projectList }, headers: ['ETag', 'Link'] } as const;

export const operation = operations('Discovery', {
    listFeaturedProjects: {
        summary: 'List featured projects',
        notes: 'Newest first. The list may lag by 5 seconds.',
        ...listed
    },
    listFeaturedProjectsFor: {
        summary: 'List featured projects for readers of a language',
        notes: 'Authors of that language come first, then those of the same primary language (`pt` for `pt-BR`), then the rest; newest first in each. The list may lag by 5 seconds.',
        ...listed
    },
    listFeaturedTags: {
        summary: 'List featured tags',
        notes: 'The tags that the service is configured with (`FEATURED_TAGS`), or the ten that most featured projects have. The list may lag by 5 seconds.',
        answers: { 200: featuredTags },
        headers: ['ETag']
    },
    listProjects: {
        summary: 'List all projects',
        notes: 'Newest first. The list may lag by 5 seconds.',
        ...listed
    },
    listTaggedProjects: {
        summary: 'List the projects with a tag',
        notes: 'Newest first. The list may lag by 5 seconds.',
        ...listed
    },
    search: {
        summary: 'Search projects',
        notes: 'Public projects with all the words in title, description, tags and author\'s name. Those with all words whole in the title come first, then those with all words in the title, then those with all words in title, tags and author\'s name, then the rest; newest first in each. What was changed a moment ago is found within 5 seconds. A page of a question that is hard to answer may be short although there are more: go on with `next`.',
        ...listed
    },
    listTrending: {
        summary: 'List trending projects',
        notes: 'Public projects that most people have looked at or remixed in the last days. Each viewer counts once a day, and whoever remixes a project as four; a day later each counts half as much, and after a week without any a project is no longer listed. The list may lag by 5 seconds.',
        ...listed
    },
    findProject: {
        summary: 'Read a project with its counters',
        notes: 'Needs only the id of the project. The counters may lag by 5 seconds.',
        answers: { 200: projectWithStatsBody },
        headers: ['ETag'],
        errors: readable
    },
    viewProject: {
        summary: 'Count a view of a project',
        notes: 'Counts once for each viewer and day (UTC). A viewer is a user or, without a token, an address and user agent. An author\'s own views do not count.',
        answers: { 200: viewed },
        errors: missing
    }
});
