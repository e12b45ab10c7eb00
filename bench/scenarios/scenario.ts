import type { Baseline, Goal, Sample } from '../measure/figures';
import type { World } from './world';

/** Measured once in each round. */
export interface Scenario {
    name: string;
    title: string;
    baseline: Baseline;
    goals: readonly Goal[];
    /**
     * Measures for about `seconds`. If the baseline is the yardstick, the ratio is computed by the caller, which runs the rounds.
     * @throws Error if any response is unexpected
     */
    run(world: World, seconds: number): Promise<Sample>;
}
