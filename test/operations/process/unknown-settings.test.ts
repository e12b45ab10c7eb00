import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { variables } from '../../../src/config/index';
import { unknownSettings } from '../../../src/operations/process/unknown-settings';

export const lab = Lab.script();
const { describe, it } = lab;

describe('variables that look like settings', () => {
    const meant: [string, string][] = [
        ['PROT', 'PORT'], ['PORTS', 'PORT'], ['POR', 'PORT'], ['port', 'PORT'], ['HOSTS', 'HOST'], ['DATABSE_URL', 'DATABASE_URL'], ['DATADIR', 'DATA_DIR'],
        ['LOG_LEVLE', 'LOG_LEVEL'], ['LOGLEVEL', 'LOG_LEVEL'], ['SIGNUP', 'SIGN_UP'], ['WEB_CONCURENCY', 'WEB_CONCURRENCY']
    ];
    for (const [name, variable] of meant) {
        it(`are named with what ${name} may mean`, () => {
            expect(unknownSettings({ [name]: 'x' })).to.equal([`${name} is not a setting, and is ignored. Did you mean ${variable}?`]);
        });
    }

    it('are named if they begin like settings', () => {
        expect(unknownSettings({ AUTH_REALM: 'x', DATABASE_PASSWORD: 'secret' })).to.equal([
            'AUTH_REALM is not a setting, and is ignored. .env.example lists all settings.',
            'DATABASE_PASSWORD is not a setting, and is ignored. .env.example lists all settings.'
        ]);
    });

    it('do not include settings, empty variables, or variables of other programs', () => {
        const others = [
            'PATH', 'HOME', 'HOSTNAME', 'PWD', 'OLDPWD', 'SHELL', 'USER', 'LANG', 'TERM', 'TZ', 'LOGNAME', 'EDITOR', 'MAIL', 'SHLVL', 'HOSTTYPE', 'NODE_ENV', 'NODE_OPTIONS', 'NODE_VERSION', 'CI',
            'PGHOST', 'PGPORT', 'PGUSER', 'PGPASSWORD', 'PGDATABASE', 'POSTGRES_PASSWORD', 'HTTP_PROXY', 'NO_PROXY', 'npm_lifecycle_event', 'SSH_AUTH_SOCK', 'XDG_DATA_DIRS', 'COLORTERM', 'TEST_DATABASE_URL', 'PAGEWRIGHT_URL'
        ];
        expect(unknownSettings(Object.fromEntries([...variables, ...others].map((name) => [name, 'x'])))).to.equal([]);
        expect(unknownSettings({ PROT: '', DATABSE_URL: undefined })).to.equal([]);
    });
});
