import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { emptyDatabase } from './support/database';
import type { TestDatabase } from './support/database';
import { addressIn, build, root, startProgram } from './support/program';
import type { Program } from './support/program';

export const lab = script();

/** Examples against the built service, on a database without the demo community. browser.test.ts runs the editor. */
lab.experiment('The examples', () => {

    let database: TestDatabase;
    let service: Program;
    let url: string;

    lab.before(async () => {
        await build();
        database = await emptyDatabase();
        service = startProgram('start', { DATABASE_URL: database.url, PORT: '0', RATE_LIMIT: 'off', LIST_MAX_AGE: '0' });
        url = await addressIn(service);
    });

    lab.after(async () => {
        service?.child.kill('SIGTERM');
        await service?.ended;
        await database?.drop();
    });

    const example = (program: string, ...args: string[]): Promise<{ stdout: string }> => promisify(execFile)(program, args, { cwd: root, env: { ...process.env, PAGEWRIGHT_URL: url } });
    const community = (): Promise<{ stdout: string }> => example(process.execPath, 'dist/examples/community.js');

    lab.test('include the walkthrough of an author\'s day, which passes', async () => {
        const { stdout } = await example(join(root, 'examples/walkthrough.sh'));
        expect(stdout).to.endWith('Everything was as expected.\n');
    });

    lab.test('create the demo community only once', async () => {
        const { stdout } = await community();
        expect(stdout).to.startWith(`Made on ${url}: `);
        const { projects } = JSON.parse(await (await fetch(`${url}/projects?count=100`)).text());
        expect(projects.length).to.equal(12);
        await expect(community()).to.reject(/The demo community is on .* already/);
    });
});
