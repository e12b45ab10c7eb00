export type { Account } from './account.js';
export type { Admin, Permission } from './admin.js';
export type { Along } from './along.js';
export type { Api, CallOptions } from './api.js';
export type { Apps } from './apps.js';
export type { Asset, Assets, SentAsset, UploadOptions } from './assets.js';
export type { Base, Change } from './changes.js';
export { createClient } from './client.js';
export type { Client, ClientOptions, SaveOptions } from './client.js';
export type { ClassWall, Classes } from './classes.js';
export type { Collections } from './collections.js';
export type { Comments, ThreadOptions } from './comments.js';
export { PagewrightError } from './errors.js';
export type { ChangedSince, ErrorCode, MergeConflict } from './errors.js';
export type { Differences, History, Point, Rewritten } from './history.js';
export type { List, ListOptions, ListPage, PageOptions } from './lists.js';
export type { Members } from './members.js';
export type { Moderation } from './moderation.js';
export type { OwnOptions, ProjectList, Projects, SearchOptions } from './projects.js';
export type { People } from './people.js';
export { countWaiting } from './queue.js';
export type { Queue, QueueOptions, QueueStatus } from './queue.js';
export type { Unsent } from './queue-contents.js';
export type { QueueFailure } from './queue-failures.js';
export { fileQueue, indexedDbQueue, memoryQueue } from './queue-storage.js';
export type { FileFunctions, QueueStorage } from './queue-storage.js';
export type { Patience } from './retries.js';
export { SaveError } from './save.js';
export type { Saved, SavedThing } from './save.js';
export type { components, operations, paths } from './schema.js';
export type { Renewal, Session, SessionStore } from './session.js';
export type { Credentials, SignIn } from './sign-in.js';
export type { AdminLogEntry, Announcement, App, Appeal, Assignment, AssignmentChanges, Authorization, Block, Class, ClassDevice,
    ClassFields, ClassOfProject, ClassRead, Collection, Comment, CommentSettings, Delivery, Element, EnrolledPupil, Following,
    HistoryEntry, HostedWebhook, Identity, Invitation, JudgedComment, ListedAssignment, ListedInvitation, ListedProject, LogEntry,
    Maintenance, MailAddress, Member, ModerationMonth, NewApp, NewAssignment, NewClass, NewCollection, NewComment, NewInvitation,
    NewPasskey, NewProject, NewToken, NewWebhook, Notice, OwnAnnouncement, OwnApp, OwnReport, Page, Passkey, PasskeyAnswer, Person,
    PersonInDetail, PictureName, PictureSignIn, Present, Project, ProjectPlace, ProjectWithStats, ProviderAnswer, Pupil, PupilWork, Report,
    ReportedComment, ReportedProject, ReportedThing, ReportedUser, SignedInUser, SignUpCode, Statement, Statistics, Suspension, Teacher,
    ThingReport, Thread, Token, TrashEntry, TrustedApp, User, Webhook, Work } from './things.js';
export type { Restored, Trash } from './trash.js';
export type { OnProgress, ProgressOptions } from './uploads.js';
export type { Lineage, Remixes, Upstream } from './upstream.js';
export type { ChangeEvent, WatchOptions } from './watch.js';
export type { NamesOnDevice, PreparedDevice, PupilChanges, PupilWaysIn, UpdatedPupil } from './ways-in.js';
export type { Notices, NoticesState } from './notices.js';
export type { Webhooks } from './webhooks.js';
export { mergeWords } from './words.js';
