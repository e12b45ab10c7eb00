import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

export const lab = script();

lab.experiment('The result of an audit', () => {

    const read = (input: string): { code: number | null; told: string } => {
        const { status, stdout, stderr } = spawnSync(process.execPath, [join(__dirname, '../../tools/audit.js')], { input, encoding: 'utf8' });
        return { code: status, told: stdout + stderr };
    };

    const metadata = { dependencies: { total: 550 } };
    const answers = [
        ['passes if no weakness is known', { auditReportVersion: 2, vulnerabilities: {}, metadata }, 0, 'No known weakness in 550 packages.'],
        ['fails where something is', { auditReportVersion: 2, vulnerabilities: { joi: { name: 'joi', severity: 'low', range: '<19' } }, metadata }, 1, 'low: joi <19'],
        ['is missing if the registry returns an error', { message: '405 Method Not Allowed', error: { summary: '', detail: '' } }, 2, 'NOT AUDITED'],
        ['is missing for no packages', { vulnerabilities: {}, metadata: { dependencies: { total: 0 } } }, 2, 'NOT AUDITED']
    ] as const;
    for (const [what, answer, code, told] of answers) {
        lab.test(what, () => {
            const outcome = read(JSON.stringify(answer));
            expect(outcome.code).to.equal(code);
            expect(outcome.told).to.include(told);
        });
    }

    lab.test('is missing if the registry does not answer', () => {
        for (const input of ['', 'npm error audit endpoint returned an error\n']) {
            expect(read(input).code).to.equal(2);
        }
    });
});
