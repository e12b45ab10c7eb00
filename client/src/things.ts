import type { components, paths } from './schema.js';

export type Schemas = components['schemas'];

/** A user, as their own account shows them. */
export type User = Schemas['Account'];

/** Who has signed in. A token without the scope `user` knows the id and the name alone. */
export type SignedInUser = Schemas['NamedUser'] & Partial<User>;
export type NewToken = Schemas['NewToken'];

export type Passkey = Schemas['Passkey'];

export type Identity = Schemas['Identity'];

/** The mail addresses of an account: the one that is confirmed, and the one that is to be. */
export type MailAddress = Schemas['MailAddress'];

/** The answer of a provider: the query of the address to which it sent people back, and what was begun. */
export type ProviderAnswer = NonNullable<paths['/users/{user}/identities']['post']['requestBody']>['content']['application/json'];

/** A passkey to add: the answer of an authenticator, and a name. */
export type NewPasskey = NonNullable<paths['/users/{user}/passkeys']['post']['requestBody']>['content']['application/json'];

/** An answer of an authenticator to what was asked to sign in. */
export type PasskeyAnswer = NonNullable<NonNullable<paths['/tokens']['post']['requestBody']>['content']['application/json']['passkey']>;
/** A sign-in of a device or program, without its secret. */
export type Token = Schemas['Token'];
export type Project = Schemas['Project'];
export type ProjectWithStats = Schemas['ProjectWithStats'];
/** A project of a user in their list; `likes` is there for the user alone. */
export type ListedProject = Schemas['ListedProject'];
/** Somebody whom one has blocked. */
export type Block = Schemas['Block'];
/** Somebody whom one follows. */
export type Following = Schemas['Following'];
export type Page = Schemas['Page'];
export type Element = Schemas['Element'];
/** The change that one request made in a project. */
export type HistoryEntry = Schemas['Change'];
/** One thing that was removed, with everything that went with it. */
export type TrashEntry = Schemas['TrashEntry'];
/** Somebody whom the author of a project lets in. */
export type Member = Schemas['Member'];
/** Somebody else who has a project open. */
export type Present = Schemas['Present'];
export type Invitation = Schemas['Invitation'];
/** An invitation with its code. */
export type ListedInvitation = Schemas['ListedInvitation'];

export type NewInvitation = Schemas['NewInvitation'];
/** A report of one user about a project. */
export type Report = Schemas['Report'];
/** The reports of a project. */
export type ReportedProject = Schemas['ReportedProject'];
/** A report of a comment or a person. */
export type ThingReport = Schemas['ThingReport'];
/** A report that one has sent, with what came of it. */
export type OwnReport = Schemas['OwnReport'];
/** A comment as moderators see it, the reports of one, and those of a person. */
export type JudgedComment = Schemas['JudgedComment'];
export type ReportedComment = Schemas['ReportedComment'];
export type ReportedUser = Schemas['ReportedUser'];
export type ReportedThing = ReportedProject | ReportedComment | ReportedUser;
export type Suspension = Schemas['Suspension'];
/** A decision of a moderator, with its reasons. */
export type Statement = Schemas['Statement'];
/** An appeal that nobody has decided on. */
export type Appeal = Schemas['Appeal'];
/** A month of moderation in numbers. */
export type ModerationMonth = Schemas['ModerationMonth'];
/** Something that a moderator did. */
export type LogEntry = Schemas['LogEntry'];
export type Person = Schemas['Person'];
export type PersonInDetail = Schemas['PersonInDetail'];
export type AdminLogEntry = Schemas['AdminLogEntry'];
export type Statistics = Schemas['Statistics'];
export type Maintenance = Schemas['Maintenance'];
export type Announcement = Schemas['Announcement'];
export type OwnAnnouncement = Schemas['OwnAnnouncement'];
export type TrustedApp = Schemas['TrustedApp'];
export type HostedWebhook = Schemas['HostedWebhook'];
export type SignUpCode = Schemas['SignUpCode'];
export type NewProject = Schemas['CreateProjectAction']['data'];

/** The ids of a project and its author, which every project has. */
export type ProjectPlace = Pick<Project, 'id' | 'user_id'>;
/** Projects that a user has put together, in an order. */
export type Collection = Schemas['Collection'];
export type Comment = Schemas['Comment'];
export type CommentSettings = Schemas['CommentSettings'];
export type Thread = Schemas['Thread'];
/** A comment to be, perhaps about a page or an element, or in answer to another one. */
export type NewComment = { text: string; page?: string; element?: string; reply_to?: string };
export type Class = Schemas['Class'];
export type ClassOfProject = Schemas['ClassOfProject'];
export type ClassFields = Pick<Class, 'title' | 'publish' | 'comments' | 'show' | 'picture_sign_in'>;
export type NewClass = Pick<Class, 'title'> & Partial<ClassFields>;
export type Pupil = Schemas['Pupil'];
export type EnrolledPupil = Schemas['EnrolledPupil'];
/** Something that the pupils of a class are to do. */
export type Assignment = Schemas['Assignment'];
export type NewAssignment = NonNullable<paths['/classes/{class_id}/assignments']['post']['requestBody']>['content']['application/json'];
export type AssignmentChanges = NonNullable<paths['/classes/{class_id}/assignments/{assignment}']['patch']['requestBody']>['content']['application/json'];
/** An assignment, for teachers with the numbers of works, for pupils with their own. */
export type ListedAssignment = paths['/classes/{class_id}/assignments']['get']['responses'][200]['content']['application/json']['assignments'][number];
/** A pupil's work for an assignment. */
export type Work = Schemas['Work'];
/** A pupil, and their work if they have begun. */
export type PupilWork = paths['/classes/{class_id}/assignments/{assignment}/work']['get']['responses'][200]['content']['application/json']['works'][number];

/** A device on which pupils of a class sign in with pictures. */
export type ClassDevice = Schemas['ClassDevice'];

/** Signing in with pictures: the secret of a prepared device, the id of the pupil's account, and the pictures in their order. */
export type PictureSignIn = NonNullable<paths['/class-devices/tokens']['post']['requestBody']>['content']['application/json'];

/** The name of a picture to sign in with. */
export type PictureName = PictureSignIn['pictures'][number];

/** A teacher of a class. */
export interface Teacher {
    id: string;
    username: string;
}

/** A class with its people, as one of them sees it. */
export interface ClassRead {
    class: Class;
    role: 'teacher' | 'pupil';
    /** to join by; only for teachers */
    code?: string;
    teachers: Teacher[];
    pupils: Pupil[];
}

export type NewCollection = Pick<Collection, 'title'> & Partial<Pick<Collection, 'description' | 'visibility'>>;
/** A program of somebody else, which people can let into their account. */
export type App = Schemas['App'];
/** An app that you let in. */
export type Authorization = Schemas['Authorization'];
/** An app, as its owner sees it. */
export type OwnApp = Schemas['OwnApp'];
export type Notice = Schemas['Notice'];
export type Webhook = Schemas['Webhook'];
export type NewWebhook = Pick<Webhook, 'url' | 'events'> & { projects?: string[] | null };
export type Delivery = Schemas['Delivery'];
export type NewApp = Pick<OwnApp, 'name' | 'url' | 'redirect_uris'> & { confidential?: boolean };
