import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { freePort } from '../../src/database/embedded/server';
import { startDaemon } from './daemon';
import { documentedFile } from './documented';

/** A running nginx. */
export interface Nginx {
    /** http://127.0.0.1:<port>, or https: */
    url: string;
    /** `method status upstream` of each request */
    lines(): string[];
    end(): Promise<void>;
}

/** Ports of the instances in examples/deploy. */
const PORTS = [3001, 3002];

/** Files of a certificate and its key. */
export interface Certificate {
    certificate: string;
    key: string;
}

/**
 * Starts nginx with the configuration from examples/deploy, in front of the instances on one or two ports.
 * @param dir for its files; what it answers without TLS is at the socket `plain` in it
 * @param tls without it, it speaks HTTP, so that load needs no processor for TLS
 */
export async function startNginx(ports: readonly number[], dir: string, workers = 2, tls?: Certificate): Promise<Nginx> {
    const port = await freePort(0);
    const server = (instance: number | undefined): string => `server 127.0.0.1:${instance} `;
    const site = documentedFile('nginx.conf', {
        '    listen 80;\n    listen [::]:80;': `    listen unix:${dir}/plain;`,
        '    listen 443 ssl;\n    listen [::]:443 ssl;': `    listen 127.0.0.1:${port}${tls === undefined ? '' : ' ssl'};`,
        '    ssl_certificate /etc/letsencrypt/live/pages.example/fullchain.pem;\n': tls === undefined ? '' : `    ssl_certificate ${tls.certificate};\n`,
        '    ssl_certificate_key /etc/letsencrypt/live/pages.example/privkey.pem;\n': tls === undefined ? '' : `    ssl_certificate_key ${tls.key};\n`
    }).split('\n').flatMap((line) => {
        const at = PORTS.findIndex((documentedPort) => line.includes(server(documentedPort)));
        const given = ports[at];
        return at < 0 ? [line] : given === undefined ? [] : [line.replace(server(PORTS[at]), server(given))];
    }).join('\n');
    const temporaries = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${dir}/${name};`);
    const log = join(dir, 'access.log');
    const user = process.getuid?.() === 0 ? 'user root;' : '';
    mkdirSync(join(dir, 'logs'), { recursive: true });
    writeFileSync(join(dir, 'nginx.conf'), `
        daemon off; ${user} worker_processes ${workers}; worker_rlimit_nofile 10000; pid ${dir}/pid; error_log ${dir}/error.log;
        events { worker_connections 4096; }
        http {
            ${temporaries.join(' ')}
            log_format told '$request_method $status $upstream_addr';
            access_log ${log} told;
            ${site}
        }`);
    const daemon = await startDaemon('/usr/sbin/nginx', ['-p', dir, '-e', `${dir}/error.log`, '-c', join(dir, 'nginx.conf')], port, 'nginx-light');
    return {
        url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
        lines: () => readFileSync(log, 'utf8').split('\n').filter((line) => line !== ''),
        end: () => daemon.end('SIGTERM')
    };
}
