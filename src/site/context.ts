import type { SiteConfig } from '../config/site';
import type { ShownAnnouncement } from './shown';
import type { Translate } from './text-options';

/** The properties of all components of a page. */
export interface PageContext {
    t: Translate;
    language: string;
    direction: 'ltr' | 'rtl';
    place: Pick<SiteConfig, 'name' | 'rules' | 'welcome'>;
    announcements: readonly ShownAnnouncement[];
    /** where browsers reach the service, without a slash at the end */
    origin: string;
    /** the address of this page, without its language */
    path: string;
    /** whether it is a file of an archive, where nobody can sign in */
    isArchived?: boolean;
    /** the address of a page of the site, in the language that was chosen, if one was */
    href(path: string): string;
}
