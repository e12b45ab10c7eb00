/**
 * Thrown at the start for what no waiting mends: an operator has to change a setting, or what it leads to. The message says which one, and
 * how.
 */
export class WrongSettings extends Error {
    constructor(message: string, options?: ErrorOptions) {
        super(message, options);
        this.name = 'WrongSettings';
    }
}
