import { mediansOf, isMet } from '../measure/figures';
import type { Result, Sample } from '../measure/figures';
import { yardstick } from './reads';
import type { Scenario } from './scenario';
import type { World } from './world';

export interface Rounds {
    results: readonly Result[];
    yardstick: Result;
    /** rounds that were run: fewer than requested if time ran out */
    rounds: number;
}

export interface RoundOptions {
    rounds: number;
    seconds: number;
    /** no round starts that would end after this time, on the clock of `performance.now` */
    deadline: number;
    /** runs between two rounds: restores the database to its first state */
    tidy(): Promise<void>;
    log(message: string): void;
}

/** Scenarios between two runs of the yardstick. */
const BETWEEN = 3;

/** Runs all scenarios in rounds. Each round starts with another scenario; the yardstick runs before and after every few of them. */
export async function runRounds(world: World, scenarios: readonly Scenario[], { rounds, seconds, deadline, tidy, log }: RoundOptions): Promise<Rounds> {
    const samples = new Map<string, Sample[]>(scenarios.map(({ name }) => [name, []]));
    const failures = new Map<string, string>();
    const yardsticks: Sample[] = [];

    /** A failed scenario is skipped from then on. If the service itself has ended, the bench stops. */
    const attempt = async (scenario: Scenario, length: number): Promise<Sample | undefined> => {
        if (failures.has(scenario.name)) {
            return undefined;
        }

        try {
            return await scenario.run(world, length);
        }
        catch (error) {
            const words = error instanceof Error ? error.message : String(error);
            if (world.service.child.exitCode !== null || world.service.child.signalCode !== null) {
                throw new Error(`the service ended during ${scenario.name}: ${words}\n${world.processes.words(`service-${world.projects}`)}`);
            }

            log(`${scenario.name} FAILED: ${words}`);
            failures.set(scenario.name, words);
            return undefined;
        }
    };

    log('warming up');
    await yardstick(world, 1);
    for (const scenario of scenarios) {
        await attempt(scenario, 1);
    }

    let longest = 0;
    let done = 0;
    while (done < rounds && performance.now() + longest < deadline) {
        await tidy();
        const began = performance.now();
        const from = Math.floor(scenarios.length * done / rounds);
        const order = [...scenarios.slice(from), ...scenarios.slice(0, from)];
        let before = await yardstick(world, seconds);
        yardsticks.push(before);
        for (let at = 0; at < order.length; at += BETWEEN) {
            const group: [Scenario, Sample][] = [];
            for (const scenario of order.slice(at, at + BETWEEN)) {
                const sample = await attempt(scenario, seconds);
                if (sample !== undefined) {
                    log(`round ${done + 1}: ${scenario.name} ${brief(sample)}`);
                    group.push([scenario, sample]);
                }
            }

            const after = await yardstick(world, seconds);
            yardsticks.push(after);
            for (const [{ name, baseline }, sample] of group) {
                const ratio = baseline === 'yardstick' && sample.perSecond !== null ? sample.perSecond * 2 / (before.perSecond + after.perSecond) : sample.ratio;
                samples.get(name)?.push({ ...sample, ratio });
            }

            before = after;
        }

        longest = Math.max(longest, performance.now() - began);
        ++done;
    }

    await tidy();
    const results = scenarios.map(({ name, title, baseline, goals }): Result => {
        const of = samples.get(name) ?? [];
        const middle = mediansOf(of);
        const failure = failures.get(name) ?? (of.length === 0 ? 'no round was run' : null);
        return { name, title, baseline, goals, met: failure === null ? isMet(goals, middle) : false, median: middle, rounds: of, failure };
    });
    const bar = mediansOf(yardsticks);
    return {
        results, rounds: done,
        yardstick: {
            name: 'yardstick', title: 'hapi + one prepared pg query, the same row', baseline: null, goals: [], met: null,
            median: { ...bar, ratio: 1 }, rounds: yardsticks, failure: null
        }
    };
}

function brief({ perSecond, ratio, p50, max }: Sample): string {
    const shown = [
        perSecond !== null && `${perSecond.toFixed(perSecond < 100 ? 1 : 0)}/s`, ratio !== null && `ratio ${ratio.toFixed(2)}`,
        p50 !== null && `p50 ${p50.toFixed(2)} ms`, max !== null && `max ${max.toFixed(1)} ms`
    ];
    return shown.filter((text) => text !== false).join(', ');
}
