import { monitorEventLoopDelay } from 'node:perf_hooks';

/**
 * Loaded into the service before its own code. On "start" it begins to measure the delay of the event loop, each
 * millisecond; on "stop" it sends the longest delay, in milliseconds. It costs nothing at other times.
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
// If the bench dies, the service must end too. The channel must not keep the service alive.
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
process.channel?.unref();
