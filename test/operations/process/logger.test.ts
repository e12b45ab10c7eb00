import { EventEmitter } from 'node:events';

import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { makeLogger } from '../../../src/operations/process/logger';

export const lab = script();

lab.experiment('The log', () => {
    const written = (): { texts: string[]; events: EventEmitter; logger: ReturnType<typeof makeLogger> } => {
        const texts: string[] = [];
        const events = new EventEmitter();
        return { texts, events, logger: makeLogger('info', { write: (text) => texts.push(text) }, events) };
    };

    const messagesIn = (texts: string[]): string[] => texts.join('').split('\n').filter((line) => line !== '').map((line) => JSON.parse(line).msg);
    const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

    lab.test('writes the first line at once, and the following ones at the end of the turn', async () => {
        const { texts, logger } = written();
        for (const message of ['one', 'two', 'three']) {
            logger.info(message);
        }

        expect(messagesIn(texts)).to.equal(['one']);
        await turn();
        expect(texts).to.have.length(2);
        expect(messagesIn(texts)).to.equal(['one', 'two', 'three']);
        logger.info('four');
        expect(messagesIn(texts)).to.equal(['one', 'two', 'three', 'four']);
        await turn();
        expect(texts).to.have.length(3);
    });

    lab.test('is complete when the process exits', () => {
        const { texts, events, logger } = written();
        logger.info('one');
        logger.fatal('two');
        events.emit('exit', 1);
        expect(messagesIn(texts)).to.equal(['one', 'two']);
    });
});
