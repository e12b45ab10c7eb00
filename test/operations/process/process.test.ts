import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { addressIn, build, startProgram } from '../../support/program';
import type { Program } from '../../support/program';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

/** The programs as they are started by `npm start` and `npm run admin`, on an embedded database of their own. */
describe('the programs', () => {
    const dir = mkdtempSync(join(tmpdir(), 'pagewright-test-'));
    const env = { DATA_DIR: dir, PORT: '0' };
    let service: Program;
    let url: string;

    const start = async (): Promise<void> => {
        service = startProgram('start', env);
        url = await addressIn(service);
    };

    const admin = async (...args: string[]): Promise<{ code: number | null; out: string; err: string }> => {
        const program = startProgram('admin', env, { args });
        const code = await program.ended;
        return { code, out: program.out, err: program.err };
    };

    before(async () => {
        await build();
        await start();
    });

    after(async () => {
        service.child.kill('SIGTERM');
        await service.ended;
        rmSync(dir, { recursive: true, force: true });
    });

    it('start in an empty folder, with the demo community', async () => {
        expect((await fetch(`${url}/health`)).status).to.equal(200);
        expect((await fetch(`${url}/ready`)).status).to.equal(200);
        const { projects } = JSON.parse(await (await fetch(`${url}/projects?count=100`)).text());
        expect(projects.map(({ featured }: { featured: boolean }) => featured)).to.include([true, false]).and.have.length(12);
    });

    it('print a command that gets a token and works when pasted', () => {
        const [line = ''] = /^curl .*$/m.exec(service.err) ?? [];
        const answer = JSON.parse(execFileSync('sh', ['-c', line], { encoding: 'utf8' }));
        expect(answer.status).to.equal('created');
        expect(answer.token.access_token).to.match(/^[\w-]{43}$/);
        const again = JSON.parse(execFileSync('sh', ['-c', line.replace('/users', '/tokens')], { encoding: 'utf8' }));
        expect(again.status).to.equal('created');
    });

    it('open a data folder only once', async () => {
        const second = startProgram('start', env);
        expect(await second.ended).to.equal(1);
        expect(second.err).to.equal(`${dir} is in use by process ${service.child.pid}: stop that one first, or give this one a data folder of its own.\n`);
        expect((await fetch(`${url}/ready`)).status).to.equal(200);
    });

    it('work at the same time', async () => {
        const { code, out, err } = await admin('token', 'juniper', '--days', '1');
        expect({ code, err }).to.equal({ code: 0, err: '' });
        expect(out).to.match(/^[\w-]{43}\n$/);
        const tokens = await fetch(`${url}/tokens`, { headers: { authorization: `token ${out.trim()}` } });
        expect(tokens.status).to.equal(200);
        expect(await admin('token', 'nobody')).to.include({ code: 3, out: '' });
    });

    it('keep what was acknowledged when killed', async () => {
        const token = (await admin('token', 'juniper')).out.trim();
        const { projects } = JSON.parse(await (await fetch(`${url}/projects?count=100`)).text());
        const { user_id: user } = projects.find(({ author }: { author: { username: string } }) => author.username === 'juniper');
        const made = await fetch(`${url}/users/${user}/projects`, {
            method: 'POST', headers: { authorization: `token ${token}`, 'content-type': 'application/json' }, body: '{"title":"Kept"}'
        });
        expect(made.status).to.equal(201);
        service.child.kill('SIGKILL');
        await service.ended;

        const { project } = JSON.parse(await made.text());
        await start();
        const kept = JSON.parse(await (await fetch(`${url}/users/${user}/projects/${project.id}`)).text());
        expect(kept.project).to.equal(project);

        // The community was not created a second time.
        expect(service.out).to.not.contain('community');
    });

    it('shut down on SIGTERM', async () => {
        const postmaster = Number(readFileSync(join(dir, 'cluster/postmaster.pid'), 'utf8').split('\n')[0]);
        service.child.kill('SIGTERM');
        expect(await service.ended).to.equal(0);
        expect(service.out).to.contain('SIGTERM: ending');
        expect(existsSync(`/proc/${postmaster}`)).to.be.false();
        expect(readdirSync(join(dir, 'cluster'))).to.not.include('postmaster.pid');
    });

    it('run several workers on one port', async () => {
        service = startProgram('start', { ...env, WEB_CONCURRENCY: '2', METRICS_PORT: '0' });
        url = await addressIn(service);
        expect((await fetch(`${url}/ready`)).status).to.equal(200);
        expect(service.err.match(/Pagewright is at/g)?.length).to.equal(1);
        const lines: { pid: number; msg: string; url?: string }[] = service.out.trim().split('\n').map((line) => JSON.parse(line));
        expect(new Set(lines.filter(({ msg }) => msg === 'listening').map(({ pid }) => pid)).size).to.be.at.least(2);
        await Promise.all(Array.from({ length: 20 }, async () => await (await fetch(`${url}/health`)).text()));
        const metrics = await fetch(lines.find(({ msg }) => msg === 'metrics')?.url ?? '');
        expect(await metrics.text()).to.contain('pagewright_http_request_duration_seconds_count{method="GET",route="/health",status="200"} 20\n');
        service.child.kill('SIGTERM');
        expect(await service.ended).to.equal(0);
    });

    it('report all errors of their environment', async () => {
        const wrong = startProgram('start', { PORT: '-1', TOKEN_TTL: 'long', RATE_LIMIT: 'maybe' });
        expect(await wrong.ended).to.equal(78);
        expect(wrong.out).to.equal('');
        expect(wrong.err.trim().split('\n').length).to.equal(4);
    });
});
