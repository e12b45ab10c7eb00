import type { Attacker } from './attacker';
import type { Attack } from './attack';

/** Settings for a service behind a proxy that sets `X-Forwarded-For`. */
const settings = { TRUSTED_PROXIES: '1' };

const hex = (n: number): string => n.toString(16);

/** Guesses passwords from many addresses. */
async function signIns(attacker: Attacker, count: number, addressOf: (n: number) => string): Promise<void> {
    await attacker.times(count, 12, (n) => attacker.call({
        method: 'POST', path: '/tokens', headers: { 'x-forwarded-for': addressOf(n) }, body: { username: `nobody-${n}`, password: 'a wrong password' }
    }));
}

/** Counts views from many addresses. Their limit by address works like that of sign-ins, and hashes no passwords. */
async function views(attacker: Attacker, addressOf: (n: number) => string): Promise<void> {
    const { id } = await attacker.project(await attacker.open({ 'x-forwarded-for': '203.0.113.200' }));
    await attacker.times(1200, 16, (n) => attacker.call({ method: 'POST', path: `/view-project/${id}`, headers: { 'x-forwarded-for': addressOf(n) } }));
}

const limited = { settings, seconds: 25, answers: ['429 rate_limited'] };

export const callers: readonly Attack[] = [
    { name: 'network-sign-ins', title: 'sign-ins from 330 addresses of one IPv6 /64', run: (attacker) => signIns(attacker, 330, (n) => `2001:db8:1:2:${hex(n)}::1`), ...limited, whole: true },
    { name: 'network-views', short: true, title: '1,200 views from as many addresses of one IPv6 /64', run: (attacker) => views(attacker, (n) => `2001:db8:1:3::${hex(n + 1)}`), ...limited },
    { name: 'forwarded-ports', title: '1,200 views from one address, each with another port', run: (attacker) => views(attacker, (n) => `203.0.113.7:${1024 + n}`), ...limited },
    { name: 'forwarded-ports-v6', title: 'the same in brackets', run: (attacker) => views(attacker, (n) => `[2001:db8:1:4::1]:${1024 + n}`), ...limited },
    { name: 'forwarded-forged', title: '1,200 views whose client forged addresses before the proxy\'s', run: (attacker) => views(attacker, (n) => `198.51.100.${n % 256}, 10.0.${n % 256}.1, 203.0.113.8`), ...limited },
    { name: 'forwarded-spelled', title: '1,200 views from one address, written in many ways', run: (attacker) => views(attacker, spelled), ...limited }
];

/** Spellings of one IPv4 address, also mapped to IPv6. */
function spelled(n: number): string {
    const ways = ['203.0.113.9', '::ffff:203.0.113.9', '::ffff:cb00:7109', '::FFFF:203.0.113.9', '0:0:0:0:0:ffff:203.0.113.9', '[::ffff:203.0.113.9]', ' 203.0.113.9 '];
    return ways[n % ways.length] ?? '';
}
