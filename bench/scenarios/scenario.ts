import type { Baseline, Goal, Sample } from '../measure/figures';
import type { World } from './world';

/** What is measured once a round. */
export interface Scenario {
    name: string;
    title: string;
    baseline: Baseline;
    goals: readonly Goal[];
    /**
     * Measures for about so many seconds. Where the baseline is the yardstick, the ratio is left to whoever runs the rounds.
     * @throws Error where anything was answered otherwise than it should be
     */
    run(world: World, seconds: number): Promise<Sample>;
}
