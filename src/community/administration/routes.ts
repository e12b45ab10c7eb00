import type { Plugin } from '@hapi/hapi';

import type { AuthoringServices } from '../../rules/write';
import { accessRoutes } from './access-routes';
import { announcementRoutes } from './announcement-routes';
import { countDays } from './daily-counts';
import { peopleRoutes } from './people-routes';
import { placeRoutes } from './place-routes';

/** Administration of a site, and what everybody reads of it. The commands of operators call the same functions. */
export const administration: Plugin<AuthoringServices> = {
    name: 'administration',
    dependencies: ['token-strategy'],
    register(server, services) {
        countDays(server, services.db);
        peopleRoutes(server, services);
        placeRoutes(server, services);
        announcementRoutes(server, services);
        accessRoutes(server, services);
    }
};
