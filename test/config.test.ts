import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { parse } from 'dotenv';

import { ConfigError, readConfig, variables } from '../src/config';

export const lab = Lab.script();
const { describe, it } = lab;

describe('readConfig()', () => {
    it('has a default for everything', () => {
        expect(readConfig({})).to.equal({
            host: '127.0.0.1', port: 3000, databaseUrl: null, dataDir: '.data', databasePool: 10, workers: 1, logLevel: 'info', metricsHost: '127.0.0.1', metricsPort: null, apiVersion: '1',
            featuredTags: [], tokenTtl: 2_592_000, listMaxAge: 1000, rateLimit: true, trustedProxies: 0
        });
        expect(Object.isFrozen(readConfig({}))).to.be.true();
    });

    it('reads every variable', () => {
        expect(readConfig({
            HOST: '0.0.0.0', PORT: '0', DATABASE_URL: 'postgres://me:secret@db:5433/pages', DATA_DIR: '/var/lib/pagewright', DATABASE_POOL: '40', WEB_CONCURRENCY: '4',
            LOG_LEVEL: 'warn', METRICS_HOST: '::1', METRICS_PORT: '9464', API_VERSION: '2.1', FEATURED_TAGS: 'Comics, рецепты ,e\u0301t\u00e9', TOKEN_TTL: '60', LIST_MAX_AGE: '0', RATE_LIMIT: 'off', TRUSTED_PROXIES: '2',
            PATH: 'what is not ours is let be'
        })).to.equal({
            host: '0.0.0.0', port: 0, databaseUrl: 'postgres://me:secret@db:5433/pages', dataDir: '/var/lib/pagewright', databasePool: 40, workers: 4,
            logLevel: 'warn', metricsHost: '::1', metricsPort: 9464, apiVersion: '2.1', featuredTags: ['comics', 'рецепты', '\u00e9t\u00e9'], tokenTtl: 60, listMaxAge: 0, rateLimit: false, trustedProxies: 2
        });
    });

    it('takes a variable without a value as not set', () => {
        expect(readConfig(Object.fromEntries(variables.map((name) => [name, ''])))).to.equal(readConfig({}));
    });

    it('says all faults together, and never what is in a database URL', () => {
        const wrong = {
            HOST: 'not a host', PORT: '70000', DATABASE_URL: 'mysql://me:secret@db/pages', DATABASE_POOL: '0', WEB_CONCURRENCY: '0', LOG_LEVEL: 'loud', METRICS_HOST: 'not a host', METRICS_PORT: '-1', API_VERSION: 'x'.repeat(33),
            FEATURED_TAGS: 'a,,b', TOKEN_TTL: '1.5', LIST_MAX_AGE: '5000', RATE_LIMIT: 'maybe', TRUSTED_PROXIES: 'two'
        };
        const error = expect(() => readConfig(wrong)).to.throw(ConfigError);
        expect(error.faults.length).to.equal(Object.keys(wrong).length);
        Object.keys(wrong).forEach((name, index) => expect(error.faults[index] ?? '').to.startWith(name));
        expect(error.message).to.startWith('The configuration has 14 fault(s):\n  - HOST');
        expect(error.message).to.contain('PORT must be less than or equal to 65535 (it is 70000)').and.contain('"maybe"');
        expect(error.message).to.not.contain('secret');
    });
});

describe('.env.example', () => {
    const text = readFileSync(join(__dirname, '../.env.example'), 'utf8');
    const listed = parse(text);

    it('lists each variable, with its default', () => {
        expect(Object.keys(listed).sort()).to.equal([...variables].sort());
        expect(readConfig(listed)).to.equal(readConfig({}));
        const unset = Object.keys(listed).filter((name) => listed[name] === '');
        expect(unset).to.equal(['DATABASE_URL', 'METRICS_PORT', 'FEATURED_TAGS']);
    });

    it('says above each what it means', () => {
        const blocks = text.trim().split('\n\n').slice(1);
        expect(blocks.every((block) => /^# [A-Z"]/.test(block))).to.be.true();
    });
});
