/** The facts about this place for whoever opens an account. */
export interface Place {
    signUp: 'open' | 'closed' | 'invite';
    /** the identity provider; null if accounts are kept here */
    issuer: string | null;
    /** of the place; empty if it has none */
    rules: string;
}

let read: Place | undefined;

const inPage = (): Place => {
    const { signUp, issuer, rules } = document.querySelector<HTMLElement>('[data-sign-up]')?.dataset ?? {};
    return { signUp: signUp === 'closed' || signUp === 'invite' ? signUp : 'open', issuer: issuer ?? null, rules: rules ?? '' };
};

export const place = (): Place => (read ??= inPage());
