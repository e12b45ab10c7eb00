import argon2 from '@node-rs/argon2';

/** The password of all accounts that tests open without saying another. */
export const PASSWORD = 'correct horse battery';

const { hash, verify } = argon2;
let known: Promise<string> | undefined;

// Making a hash, or comparing with one, takes a processor for 15 ms, and the tests would do it 1,000 times for this password: once in each process is enough.

argon2.hash = (password, ...rest) => {
    if (password !== PASSWORD) {
        return hash(password, ...rest);
    }

    known ??= hash(password, ...rest);
    return known;
};

argon2.verify = async (hashed, password, ...rest) => {
    const isKnown = password === PASSWORD && known !== undefined && hashed === await known;
    return isKnown || verify(hashed, password, ...rest);
};

/** The pictures of a child. */
export const PICTURES = ['cat', 'moon', 'boat'];

/** The secret of the device for the class of a project, and the code for another device. */
export const deviceSecretOf = (project: string): string => `d${project.padStart(42, '0')}`;
export const deviceCodeOf = (project: string): string => `c${project.padStart(42, '0')}`;
