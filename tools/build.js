'use strict';

/**
 * Builds what `npm start` runs, step by step, and of it only what has changed: a step is done again if what it reads is not what it was,
 * by content, or if what it writes is not there. `node tools/build.js STEP` ends after that step.
 */
const { spawnSync } = require('node:child_process');
const { createHash } = require('node:crypto');
const { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } = require('node:fs');
const { join, resolve } = require('node:path');

const root = resolve(__dirname, '..');
const cache = join(root, '.cache');
const stamps = join(cache, 'built.json');

/** In order. What each reads and writes: files and folders. */
const steps = [
    {
        name: 'compile', what: 'the service',
        reads: ['src', 'migrations', 'seeds', 'examples', 'tools', 'reliability', 'bench', 'test/support', 'test/routes', 'client/src/render', 'package-lock.json'],
        writes: ['dist/src/operations/server.js', 'dist/tools/describe.js'],
        command: ['tools/compile.js']
    },
    {
        name: 'describe', what: 'the description of the API',
        reads: ['src', 'tools/describe.ts', 'package.json', 'package-lock.json'],
        writes: ['openapi.json', 'schemas/project.json'],
        command: ['dist/tools/describe.js']
    },
    {
        name: 'client', what: 'the client',
        reads: ['openapi.json', 'client/src', 'client/build.js', 'client/types.js', 'client/package.json', 'client/tsconfig.json', 'package-lock.json'],
        writes: ['client/src/schema.ts', 'client/dist/pagewright.js', 'client/dist/pagewright.d.ts', 'client/dist/render.js', 'client/dist/auth.js'],
        command: ['client/build.js']
    },
    {
        name: 'site', what: 'the website',
        reads: ['web', 'client/src', 'client/package.json', 'client/README.md', 'client/LICENSE', 'openapi.json', 'package-lock.json'],
        writes: ['dist/site/built.json', 'dist/site/docs.js', 'dist/site/service-worker.js', 'dist/site/client/pagewright.js', 'dist/site/client/pagewright-client.tgz'],
        command: ['web/build.js']
    }
];

/** All files of a place, sorted, with their states. What a build writes there is not one of them. */
const readFiles = function (place) {

    const state = statSync(place, { throwIfNoEntry: false });
    if (!state?.isDirectory()) {
        return state === undefined ? [] : [[place, state]];
    }

    return readdirSync(place).filter((name) => name !== 'node_modules' && name !== 'schema.ts').sort().flatMap((name) => readFiles(join(place, name)));
};

/** Two steps read it, and none writes there. */
const source = join(root, 'src');
let sourceFiles;
const filesOf = function (place) {

    if (place !== source) {
        return readFiles(place);
    }

    sourceFiles ??= readFiles(place);
    return sourceFiles;
};

/** What is known of a step before anything is read, and of what it reads. A file whose state has not changed has not changed. */
const marksOf = function ({ reads, command }) {

    const files = reads.flatMap((place) => filesOf(join(root, place)));
    const mark = (of) => files.reduce((hash, file) => hash.update(of(file)), createHash('sha256').update(process.version).update(command.join(' '))).digest('hex');
    return {
        state: mark(([file, { ino, size, ctimeMs }]) => `${file.slice(root.length)} ${ino} ${size} ${ctimeMs}\n`),
        content: () => mark(([file]) => `${file.slice(root.length)} ${createHash('sha256').update(readFileSync(file)).digest('hex')}\n`)
    };
};

const read = function () {

    try {
        return JSON.parse(readFileSync(stamps, 'utf8'));
    }
    catch {
        return {};
    }
};

const main = function (last = steps.at(-1).name) {

    if (!steps.some(({ name }) => name === last)) {
        console.error(`usage: node tools/build.js [${steps.map(({ name }) => name).join('|')}]`);
        return 2;
    }

    const built = read();
    const keep = (name, marks) => {

        built[name] = marks;
        mkdirSync(cache, { recursive: true });
        writeFileSync(stamps, JSON.stringify(built));
    };

    for (const step of steps) {
        const { state, content } = marksOf(step);
        const isThere = step.writes.every((file) => existsSync(join(root, file)));
        if (!isThere || built[step.name]?.state !== state) {
            const now = content();
            if (!isThere || built[step.name]?.content !== now) {
                console.error(`Building ${step.what} …`);
                const { status } = spawnSync(process.execPath, step.command, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
                if (status !== 0) {
                    console.error(`Building ${step.what} failed. The lines above say why.`);
                    return 1;
                }
            }

            keep(step.name, { state, content: now });
        }

        if (step.name === last) {
            break;
        }
    }

    return 0;
};

process.exitCode = main(process.argv[2]);
