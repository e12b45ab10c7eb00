import type { Browser } from 'playwright-core';

import { median } from '../measure/figures';
import type { Fact } from '../measure/figures';
import type { Listening } from '../measure/processes';
import { SLOW_DOWN, call, desk, openWindow, phone } from './product';

/** Most bytes of compressed script, longest time until the largest thing is painted in milliseconds, and most layout shift. */
const MAX_SCRIPT = 100 * 1024;
const MAX_PAINT = 1000;
const MAX_SHIFT = 0.05;

/** Milliseconds after `load` in which a page may still shift and paint. */
const SETTLED = 1500;

interface Seen {
    script: number;
    paint: number;
    shift: number;
    what: string;
}

/** Loads a page with nothing in the cache. */
async function look(browser: Browser, service: Listening, path: string, viewport: typeof desk): Promise<Seen> {
    const context = await openWindow(browser, service, { viewport });
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    await session.send('Emulation.setCPUThrottlingRate', { rate: SLOW_DOWN });
    const scripts = new Map<string, number>();
    await session.send('Network.enable');
    session.on('Network.responseReceived', ({ requestId, response }) => {
        if (/javascript/.test(response.mimeType)) {
            scripts.set(requestId, 0);
        }
    });
    session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
        if (scripts.has(requestId)) {
            scripts.set(requestId, encodedDataLength);
        }
    });
    await page.goto(service.base + path, { waitUntil: 'load' });
    await page.waitForTimeout(SETTLED);
    const { paint, shift, what } = await page.evaluate(async () => {
        const entries = (type: string): Promise<PerformanceEntry[]> => new Promise((found) => {
            new PerformanceObserver((list) => found(list.getEntries())).observe({ type, buffered: true });
            setTimeout(() => found([]), 500);
        });
        const [paints, shifts] = await Promise.all([entries('largest-contentful-paint'), entries('layout-shift')]);
        const last = paints.at(-1);
        return { paint: last?.startTime ?? Number.NaN, shift: shifts.reduce((sum, entry) => sum + Number(Reflect.get(entry, 'value')), 0), what: String(Reflect.get(Object(last), 'element')?.className) };
    });
    await context.close();
    return { script: [...scripts.values()].reduce((sum, bytes) => sum + bytes, 0), paint, shift, what };
}

/** What the gallery and the player load, and how soon they show it. */
export async function measureReading(browser: Browser, service: Listening, rounds: number, log: (message: string) => void): Promise<Fact[]> {
    const { projects } = await call<{ projects: { id: string; title: string }[] }>(service, 'GET', '/discover?count=100');
    const played = projects.find(({ title }) => title.includes('harbour')) ?? projects[0];
    const pages = ([['the gallery', '/'], ['the player', `/p/${played?.id}`]] as const).flatMap(([name, path]) => ([['laptop', desk], ['phone', phone]] as const).map(([device, viewport]) => ({ title: `${name} on a ${device}`, path, viewport, seen: [] as Seen[] })));
    // The first round warms up.
    for (let round = 0; round <= rounds; ++round) {
        for (const { title, path, viewport, seen } of pages) {
            const one = await look(browser, service, path, viewport);
            log(`${title}: ${one.script} bytes, ${one.paint.toFixed(0)} ms (${one.what}), shift ${one.shift.toFixed(3)}`);
            if (round > 0) {
                seen.push(one);
            }
        }
    }

    return pages.flatMap(({ title, seen }) => {
        const [script, paint, shift] = [Math.max(...seen.map((one) => one.script)), seen.map((one) => one.paint), Math.max(...seen.map((one) => one.shift))];
        return [
            { title: `script of ${title}, compressed, with headers`, value: `${(script / 1024).toFixed(1)} KiB`, target: '≤ 100 KiB', met: script <= MAX_SCRIPT },
            { title: `largest paint of ${title}: median, longest of ${paint.length}`, value: `${median(paint).toFixed(0)}, ${Math.max(...paint).toFixed(0)} ms`, target: '≤ 1,000 ms', met: median(paint) <= MAX_PAINT },
            { title: `layout shift of ${title}, the most of ${paint.length}`, value: shift.toFixed(3), target: '≤ 0.05', met: shift <= MAX_SHIFT }
        ];
    });
}
