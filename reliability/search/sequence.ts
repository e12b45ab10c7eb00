import type { Dice } from '../../test/support/dice';

/** The content of a free-form object: text of one letter, text that does not compress, many keys, many small objects or many numbers. */
export const shapes = ['letters', 'random', 'keys', 'objects', 'numbers'] as const;

/** A free-form object of about this many bytes. */
export interface Value {
    shape: (typeof shapes)[number];
    bytes: number;
}

/** Things to read or write; each step works on number `which`, modulo their count. */
export const things = ['project', 'page', 'element'] as const;
export const reads = ['project', 'page', 'pages', 'elements', 'element', 'list', 'remixes'] as const;
export const kinds = ['create', 'patch', 'remove', 'bulk create', 'bulk update', 'remix', 'read'] as const;

/** Valid requests of one kind. Every kind has all fields, so that changing one never makes it invalid. */
export interface Step {
    kind: (typeof kinds)[number];
    thing: (typeof things)[number];
    read: (typeof reads)[number];
    which: number;
    value: Value;
    /** the element is a link to its own page */
    link: boolean;
    /** actions of a bulk */
    actions: number;
    /** the number of requests, and how many of them at once */
    times: number;
    atOnce: number;
    gzip: boolean;
    /** with an `Idempotency-Key` */
    key: boolean;
    /** responses are not read */
    unread: boolean;
}

export type Sequence = readonly Step[];

/** The limits of each number in a step, and the most steps of a sequence. */
export const most = { which: 20, bytes: 2 * 1024 * 1024 - 200, actions: 1000, times: 20, atOnce: 10, steps: 12 } as const;

/** A whole number up to `end`; small ones are as likely as ones that are ten times larger. */
const magnitude = (dice: Dice, end: number): number => Math.max(1, Math.floor(end ** dice.next()));

const oneOf = <Thing>(dice: Dice, some: readonly [Thing, ...Thing[]]): Thing => dice.pick(some) ?? some[0];

export function randomStep(dice: Dice): Step {
    return {
        kind: oneOf(dice, kinds), thing: oneOf(dice, things), read: oneOf(dice, reads), which: dice.below(most.which),
        value: { shape: oneOf(dice, shapes), bytes: magnitude(dice, most.bytes) }, link: dice.chance(0.2),
        actions: magnitude(dice, most.actions), times: magnitude(dice, most.times), atOnce: magnitude(dice, most.atOnce),
        gzip: dice.chance(0.5), key: dice.chance(0.2), unread: dice.chance(0.1)
    };
}

export const randomSequence = (dice: Dice): Sequence => Array.from({ length: dice.between(1, most.steps / 2) }, () => randomStep(dice));

/** A number, changed by a factor of up to four, within its limits. */
const scaled = (dice: Dice, value: number, end: number): number => Math.min(end, Math.max(1, Math.round(value * 4 ** (2 * dice.next() - 1))));

/** The step with one of its fields changed. */
function changed(dice: Dice, step: Step): Step {
    const other = randomStep(dice);
    const { value, actions, times, atOnce } = step;
    const changes: readonly [Partial<Step>, ...Partial<Step>[]] = [
        { kind: other.kind }, { thing: other.thing }, { read: other.read }, { which: other.which }, { link: !step.link }, { gzip: !step.gzip }, { key: !step.key },
        { unread: !step.unread }, { value: { ...value, shape: other.value.shape } }, { value: { ...value, bytes: scaled(dice, value.bytes, most.bytes) } },
        { actions: scaled(dice, actions, most.actions) }, { times: scaled(dice, times, most.times) }, { atOnce: scaled(dice, atOnce, most.atOnce) }
    ];
    return { ...step, ...oneOf(dice, changes) };
}

/** A slightly changed sequence: a step added, removed or repeated, two steps swapped, or one to three fields changed. */
export function mutated(dice: Dice, sequence: Sequence): Sequence {
    const [at, other] = [dice.below(sequence.length), dice.below(sequence.length)];
    const [one, two] = [sequence[at], sequence[other]];
    if (one === undefined || two === undefined) {
        return randomSequence(dice);
    }

    switch (dice.below(7)) {
        case 0:
            return sequence.toSpliced(at, 0, randomStep(dice)).slice(0, most.steps);
        case 1:
            return sequence.length === 1 ? [randomStep(dice)] : sequence.toSpliced(at, 1);
        case 2:
            return sequence.toSpliced(at, 0, one).slice(0, most.steps);
        case 3:
            return sequence.with(at, two).with(other, one);
        default:
            return Array.from({ length: dice.between(1, 3) }).reduce<Sequence>((steps) => {
                const place = dice.below(steps.length);
                return steps.map((step, index) => (index === place ? changed(dice, step) : step));
            }, sequence);
    }
}
