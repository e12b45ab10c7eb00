import { monitorEventLoopDelay } from 'node:perf_hooks';

/**
 * Loaded into the service before its own code. On "start" it begins to watch the event loop, each millisecond; on
 * "stop" it tells the longest delay, in milliseconds. Between the two is the only time it costs anything.
 */
const delay = monitorEventLoopDelay({ resolution: 1 });

process.on('message', (message) => {
    if (message === 'start') {
        delay.reset();
        delay.enable();
    }
    else if (message === 'stop') {
        delay.disable();
        process.send?.(delay.max / 1e6);
    }
});
// Whoever measures may die; the service must not stay behind, nor live on for the channel's sake.
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
process.channel?.unref();
