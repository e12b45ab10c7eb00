import { BlockList, isIP } from 'node:net';
import { networkInterfaces } from 'node:os';

import { PUBLIC } from '../../config/networks';
import { defined } from '../errors/defined';

/*
 * To which addresses the service sends requests that its users ask for. What is asked is an address, never a name: of names only what they lead to counts,
 * and the connection goes to the very address that was checked (`post.ts`).
 */

const family = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

/** A list of networks such as `10.0.0.0/8`. */
function networks(...names: readonly string[]): BlockList {
    const list = new BlockList();
    for (const name of names) {
        const [address = '', bits] = name.split('/');
        list.addSubnet(address, Number(bits), family(address));
    }

    return list;
}

/** IPv4 that is not for everybody, or not for one receiver (RFC 6890 and the registry of IANA that goes on from it); and Azure's host, which gives secrets to whoever asks. */
const notPublic4 = networks(
    '0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15',
    '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4', '168.63.129.16/32'
);

/** The part of IPv6 that is public. All that carries an IPv4 address (mapped, NAT64) is outside, but for what follows. */
const public6 = networks('2000::/3');

/** Those in it that are not: of protocols (Teredo among them), of documentation, and 6to4, which carries an IPv4 address. */
const notPublic6 = networks('2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20');

/** The addresses of this machine: behind a firewall, more may listen there than the world sees. */
function ownAddresses(): BlockList {
    const list = new BlockList();
    for (const { address } of Object.values(networkInterfaces()).flatMap((all) => defined(all))) {
        const [plain = address] = address.split('%');
        list.addAddress(plain, family(plain));
    }

    return list;
}

/** Whether an address is on the public internet, and not of this machine. */
export function isPublic(address: string, own = ownAddresses()): boolean {
    const inList = (list: BlockList): boolean => list.check(address, family(address));
    return isIP(address) !== 0 && !inList(own) && (isIP(address) === 4 ? !inList(notPublic4) : inList(public6) && !inList(notPublic6));
}

/** Which addresses may be asked. */
export interface AddressRule {
    /** @param isEncrypted whether what is sent there cannot be read by others: on the public internet it has to be */
    allows(address: string, isEncrypted: boolean): boolean;
    /** whether there are internal ones among them */
    hasNetworks: boolean;
}

/** @param allowed the word `public`, and networks such as `10.0.0.0/8` that an operator allows though they may be internal */
export function addressRule(allowed: readonly string[]): AddressRule {
    const internal = allowed.filter((name) => name !== PUBLIC);
    const named = networks(...internal);
    const toPublic = allowed.includes(PUBLIC);
    return {
        hasNetworks: internal.length > 0,
        allows: (address, isEncrypted) => isIP(address) !== 0 && (named.check(address, family(address)) || (toPublic && isEncrypted && isPublic(address)))
    };
}
