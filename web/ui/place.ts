export interface Provider {
    id: string;
    name: string;
}

/** The facts about this place for whoever opens an account. */
export interface Place {
    signUp: 'open' | 'closed' | 'invite';
    /** the identity provider; null if accounts are kept here */
    issuer: string | null;
    /** other providers that sign people in */
    providers: readonly Provider[];
    /** whether everybody can make classes whose account no class manages */
    teachersOpen: boolean;
    /** whether it sends mail */
    mail: boolean;
    /** of the place; empty if it has none */
    rules: string;
}

let read: Place | undefined;

const inPage = (): Place => {
    const { signUp, issuer, providers, rules, teachers, mail } = document.querySelector<HTMLElement>('[data-sign-up]')?.dataset ?? {};
    return { signUp: signUp === 'closed' || signUp === 'invite' ? signUp : 'open', issuer: issuer ?? null, providers: JSON.parse(providers ?? '[]'), teachersOpen: teachers === 'open', mail: mail === 'on', rules: rules ?? '' };
};

export const place = (): Place => (read ??= inPage());
