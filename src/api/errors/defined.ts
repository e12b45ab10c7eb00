import assert from 'node:assert';

/** A value that is there by the rules of the code around. @throws AssertionError if it is not */
export function defined<Value>(value: Value | undefined): Value {
    assert(value !== undefined, 'A value that has to be there is missing');
    return value;
}
