import type { Browser, CDPSession, Page } from 'playwright-core';

import { median, percentile } from '../measure/figures';
import type { Fact } from '../measure/figures';
import type { Listening } from '../measure/processes';
import { SLOW_DOWN, desk, makeLarge, openAccount, openWindow } from './product';

/** Longest time until the editor shows a project, in milliseconds, and fewest frames a second while dragging. */
const MAX_OPENING = 1500;
const LEAST_FRAMES = 50;

/** Movements of a drag, as fast as the browser takes them. */
const MOVES = 300;

interface Opened {
    page: Page;
    session: CDPSession;
    /** milliseconds until the page that is edited and the button of each page are there, and until the small pictures of pages that are on the screen are drawn too */
    usable: number;
    whole: number;
    /** milliseconds of the main thread until then */
    busy: number;
}

/** Tells when the editor shows what there is; two frames later it is on the screen. */
function tell(): void {
    const told = new Set<string>();
    const tellOnce = (name: 'usable' | 'whole'): void => {
        if (!told.has(name)) {
            told.add(name);
            requestAnimationFrame(() => requestAnimationFrame(() => console.info(`${name} ${performance.now()}`)));
        }
    };

    new MutationObserver(() => {
        const pages = document.querySelectorAll('.page-button').length;
        if (pages >= 20 && document.querySelector('.stage [data-element]') !== null) {
            tellOnce('usable');
            // All that are on the screen are drawn at once.
            if (document.querySelector('.thumbnail [data-element]') !== null) {
                tellOnce('whole');
            }
        }
    }).observe(document, { childList: true, subtree: true });
}

async function open(browser: Browser, service: Listening, path: string, person: Awaited<ReturnType<typeof openAccount>>): Promise<Opened> {
    const context = await openWindow(browser, service, { viewport: desk }, person);
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    await session.send('Emulation.setCPUThrottlingRate', { rate: SLOW_DOWN });
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    await page.addInitScript(tell);
    // The page itself tells, as asking it would take its time.
    const told = (name: string): Promise<number> => page.waitForEvent('console', (message) => message.text().startsWith(name)).then((message) => Number(message.text().split(' ')[1]));
    const [usable, whole] = await Promise.all([told('usable'), told('whole'), page.goto(service.base + path)]);
    return { page, session, usable, whole, busy: await busyOf(session) };
}

async function busyOf(session: CDPSession): Promise<number> {
    const { metrics } = await session.send('Performance.getMetrics');
    return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN);
}

/** Drags a text around. @returns frames a second, the time between two frames that 95 % stay below, and milliseconds of the main thread for a movement */
async function drag({ page, session }: Opened): Promise<{ frames: number; gap: number; busy: number }> {
    await page.locator('.page-button').nth(1).click();
    const box = await page.locator('.stage [data-element]').nth(3).boundingBox();
    const [x, y] = [(box?.x ?? 0) + 30, (box?.y ?? 0) + 8];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 10, y + 10);
    await page.evaluate(() => {
        const times: number[] = [];
        Reflect.set(window, 'times', times);
        const tick = (time: number): void => {
            times.push(time);
            requestAnimationFrame(tick);
        };

        requestAnimationFrame(tick);
    });
    const before = await busyOf(session);
    const from = await page.evaluate(() => performance.now());
    for (let n = 0; n < MOVES; ++n) {
        await page.mouse.move(x + n % 50, y + n % 70);
    }

    const to = await page.evaluate(() => performance.now());
    const after = await busyOf(session);
    await page.mouse.up();
    const times = (await page.evaluate<number[]>('times')).filter((time) => time > from && time < to);
    const gaps = times.slice(1).map((time, n) => time - (times[n] ?? 0));
    return { frames: 1000 * gaps.length / gaps.reduce((sum, gap) => sum + gap, 0), gap: percentile(gaps, 95), busy: (after - before) / MOVES };
}

/** How soon the editor shows a project of 20 pages with 10 elements, and how smoothly one of them is dragged. */
export async function measureEditing(browser: Browser, service: Listening, rounds: number, log: (message: string) => void): Promise<Fact[]> {
    const person = await openAccount(service);
    const id = await makeLarge(service, person);
    const [usable, whole, frames]: [number[], number[], number[]] = [[], [], []];
    // The first round warms up.
    for (let round = 0; round <= rounds; ++round) {
        const opened = await open(browser, service, `/edit/${id}`, person);
        const dragged = await drag(opened);
        log(`usable after ${opened.usable.toFixed(0)} ms, whole after ${opened.whole.toFixed(0)} ms, main thread ${opened.busy.toFixed(0)} ms; dragged at ${dragged.frames.toFixed(1)} frames a second, 95 % within ${dragged.gap.toFixed(1)} ms, main thread ${dragged.busy.toFixed(2)} ms a movement`);
        if (round > 0) {
            usable.push(opened.usable);
            whole.push(opened.whole);
            frames.push(dragged.frames);
        }

        await opened.page.context().close();
    }

    const times = (values: readonly number[]): string => `${median(values).toFixed(0)}, ${Math.max(...values).toFixed(0)} ms`;
    return [
        { title: `the editor shows a project of 20×10: median, longest of ${rounds}`, value: times(usable), target: '≤ 1,500 ms', met: median(usable) <= MAX_OPENING },
        { title: 'the same until the small pictures of the pages on the screen are drawn too', value: times(whole), target: '', met: true },
        { title: `frames a second while an element is dragged: median, fewest of ${rounds}`, value: `${median(frames).toFixed(1)}, ${Math.min(...frames).toFixed(1)}`, target: '≥ 50', met: median(frames) >= LEAST_FRAMES }
    ];
}
