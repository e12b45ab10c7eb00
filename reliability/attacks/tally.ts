/** What an attacker has sent and received. */
export interface Tally {
    /** bytes over all its connections, headers included */
    sent: number;
    /** responses by status and code, such as '409 page_limit'; `broken` if there was none */
    answers: Record<string, number>;
    /** what it achieved that no measurement shows */
    achieved: readonly string[];
    /** why it failed; empty if it did not */
    failure: string;
}
