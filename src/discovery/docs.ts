import { missing } from '../errors/registry';
import { operations } from '../openapi/operation';
import { projectList, projectWithStatsBody } from '../representations/project';
import { featuredTags, viewed } from './schema';

const headers = ['ETag', 'Link'] as const;

export const operation = operations('Discovery', {
    listFeaturedProjects: {
        summary: 'List featured projects',
        notes: 'Newest first. The list may lag by 5 seconds.',
        answers: { 200: projectList },
        headers
    },
    listFeaturedProjectsFor: {
        summary: 'List featured projects for readers of a language',
        notes: 'Authors of that language come first, then those of the same primary language (`pt` for `pt-BR`), then the rest; newest first in each. The list may lag by 5 seconds.',
        answers: { 200: projectList },
        headers
    },
    listFeaturedTags: {
        summary: 'List featured tags',
        notes: 'Those that the service is configured with (`FEATURED_TAGS`), or the ten that most featured projects carry. The list may lag by 5 seconds.',
        answers: { 200: featuredTags },
        headers: ['ETag']
    },
    listProjects: {
        summary: 'List all projects',
        notes: 'Newest first. The list may lag by 5 seconds.',
        answers: { 200: projectList },
        headers
    },
    listTaggedProjects: {
        summary: 'List the projects that carry a tag',
        notes: 'Newest first. The list may lag by 5 seconds.',
        answers: { 200: projectList },
        headers
    },
    findProject: {
        summary: 'Read a project with its counters',
        notes: 'For whoever knows its id alone. The counters may lag by 5 seconds.',
        answers: { 200: projectWithStatsBody },
        headers: ['ETag'],
        errors: missing
    },
    viewProject: {
        summary: 'Count a view of a project',
        notes: 'Once a viewer and day (UTC): a user, or without a token an address and user agent. An author\'s own view does not count.',
        answers: { 200: viewed },
        errors: missing
    }
});
