import { readdir } from 'node:fs/promises';

import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { isPicture } from '../../../src/files/assets/types';
import { openAuthor } from '../../support/authoring';
import { Dice } from '../../support/dice';
import { drawing, hashOf, mp3, mp4, ogg, picture, wav, webm } from '../../support/files';
import { startTestServer } from '../../support/server';

export const lab = script();
const { describe, it } = lab;

const [SEED, RUNS] = [Number(process.env.SEED ?? 1), Number(process.env.BAD_UPLOADS ?? 200)];

describe('Broken uploads', () => {
    it(`are never an error of the service, leave nothing, and can be made smaller where they are accepted (seed ${SEED})`, async () => {
        const random = new Dice(SEED);
        const upTo = (end: number): number => (end === 0 ? 0 : random.below(end));
        const pick = <Thing>(things: readonly [Thing, ...Thing[]]): Thing => random.pick(things) ?? things[0];
        const test = await startTestServer();
        const author = await openAuthor(test);
        const files: [[Buffer, string], ...[Buffer, string][]] = [
            [await picture('png'), 'image/png'], [await picture('jpeg'), 'image/jpeg'], [await picture('webp'), 'image/webp'], [await picture('gif'), 'image/gif'], [await picture('avif'), 'image/avif'],
            [drawing('<a href="#x">&lt;</a><!-- x --><![CDATA[ y ]]>'), 'image/svg+xml'], [wav(), 'audio/wav'], [mp3(), 'audio/mpeg'], [ogg(), 'audio/ogg'], [mp4(), 'video/mp4'], [webm(), 'video/webm']
        ];
        const changed = (bytes: Buffer): Buffer => {
            const copy = Buffer.from(bytes);
            for (let left = 1 + upTo(8); left > 0; left--) {
                copy[upTo(copy.length)] = pick([0, 0xff, 0x7f, 0x80, upTo(256)]);
            }

            return copy;
        };

        type Spoil = (bytes: Buffer) => Buffer;
        const spoil: [Spoil, ...Spoil[]] = [
            (bytes) => bytes.subarray(0, upTo(bytes.length)),
            (bytes) => bytes.subarray(upTo(bytes.length)),
            (bytes) => Buffer.concat([bytes, Buffer.alloc(1 + upTo(40), upTo(256))]),
            (bytes) => Buffer.concat([bytes.subarray(0, upTo(bytes.length)), pick(files)[0]]),
            ...Array.from({ length: 6 }, () => changed)
        ];
        const statuses = new Map<number, number>();
        for (let run = 0; run < RUNS; run++) {
            const [bytes, type] = pick(files);
            const broken = pick(spoil)(bytes);
            const hash = upTo(20) === 0 ? 'f'.repeat(64) : hashOf(broken);
            const { status, text } = await author.call('PUT', `/users/me/assets/${hash}`, broken, {
                headers: { 'content-type': upTo(10) === 0 ? pick(files)[1] : type }
            });
            expect([200, 201, 400], `run ${run}: ${text}`).to.include(status);
            statuses.set(status, (statuses.get(status) ?? 0) + 1);
            if (status < 400 && isPicture(JSON.parse(text).asset.type)) {
                expect((await test.server.inject(`/assets/${hash}?width=64`)).statusCode, `run ${run}: ${text} ${test.faults.join('')}`).to.equal(200);
            }
        }

        expect(statuses.get(400) ?? 0).to.be.above(RUNS / 3);
        expect(await readdir(test.assets.incoming)).to.equal([]);
        expect(test.faults).to.equal([]);
        await test.stop();
    });
});
