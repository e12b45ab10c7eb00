/** That this machine lacks a program. The test runner then skips the tests of the file, and says at the end how to get it; in continuous integration they fail. */
export class Missing extends Error {
    readonly missing: string;

    /** @param missing what, and how to get it: "Chromium (apt-get install chromium)" */
    constructor(missing: string) {
        super(`These tests need what is not here: ${missing}`);
        this.missing = missing;
    }
}
