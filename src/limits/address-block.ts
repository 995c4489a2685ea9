import { isIP, isIPv4, isIPv6 } from 'node:net';
import { shorten } from '../keys';

/** A block of addresses, with the factor by which limits per address are multiplied for it. */
export interface AddressBlock {
  readonly block: string;
  readonly factor: number;
}

/**
 * The factor of an IPv6 /48, which one customer of a provider may have: 65,536 blocks of 64 bits.
 */
const WIDE_BLOCK_FACTOR = 10;

/**
 * Returns the IP address in `req.ip`, without its zone; null if there is none. Some proxies write a
 * port after the address: `192.0.2.7:51234`, `[2001:db8::1]:443`.
 */
export function toIpAddress(address: string | undefined): string | null {
  if (typeof address !== 'string') return null;
  const [, inBrackets, beforePort] = WITH_PORT.exec(address) ?? [];
  const [withoutZone = ''] = (inBrackets ?? beforePort ?? address).split('%', 1);
  const isAddress = inBrackets === undefined ? isIP(withoutZone) !== 0 : isIPv6(withoutZone);
  return isAddress ? withoutZone : null;
}

/** Matches an address in brackets, with or without a port, or four numbers and a port. */
const WITH_PORT = /^(?:\[([^\]]*)\](?::\d{1,5})?|([\d.]+):\d{1,5})$/;

/**
 * Returns the address blocks of one client. IPv4: the address itself, also if it is mapped into
 * IPv6, behind NAT64 or in 6to4. IPv6: the first 64 bits, which belong to one household or machine,
 * and the first 48 bits. All clients without an address share one block.
 *
 * @param address `req.ip`: Express takes it from the proxies that the app trusts. No header is read
 * here.
 */
export function toAddressBlocks(address: string | undefined): readonly AddressBlock[] {
  const ip = toIpAddress(address);
  if (ip === null) return [{ block: 'none', factor: 1 }];
  if (isIPv4(ip)) return [{ block: ip, factor: 1 }];

  const groups = expandIPv6(ip);
  const embedded = findIPv4(groups);
  if (embedded !== null) return [{ block: toIPv4(embedded), factor: 1 }];

  const toBlock = (length: number): string => groups.slice(0, length).map(toHex).join(':');
  return [
    { block: `${toBlock(4)}::/64`, factor: 1 },
    { block: `${toBlock(3)}::/48`, factor: WIDE_BLOCK_FACTOR },
  ];
}

/**
 * Returns the blocks of an address under names that only one user has: keyed digests of both, so
 * that the counters name neither the user nor the address.
 */
export type UserBlocks = (
  user: string,
  address: string | undefined,
) => Promise<readonly AddressBlock[]>;

/** @param digests Functions that return a keyed digest of strings. The first one is used. */
export function createUserBlocks([digest]: readonly ((
  ...strings: readonly string[]
) => Promise<string>)[]): UserBlocks {
  return (user, address) =>
    Promise.all(
      // The list is never empty: the empty string satisfies the compiler.
      toAddressBlocks(address).map(async ({ block, factor }) => ({
        block: shorten((await digest?.(user, block)) ?? ''),
        factor,
      })),
    );
}

/**
 * Returns the two groups that hold an IPv4 address: ::ffff:0:0/96 (mapped), 64:ff9b::/96 (NAT64)
 * and 2002::/16 (6to4).
 */
function findIPv4(groups: readonly number[]): readonly number[] | null {
  const starts = (...prefix: number[]): boolean =>
    prefix.every((group, index) => groups[index] === group);
  if (starts(0, 0, 0, 0, 0, 0xffff) || starts(0x64, 0xff9b, 0, 0, 0, 0)) return groups.slice(6);
  return starts(0x2002) ? groups.slice(1, 3) : null;
}

function expandIPv6(address: string): readonly number[] {
  // The URL parser rewrites an address that ends in IPv4 notation (`::ffff:192.0.2.1`) as groups
  // only.
  const { hostname } = new URL(`http://[${address}]`);
  const [front = [], back = []] = hostname.slice(1, -1).split('::').map(readGroups);
  return [...front, ...new Array<number>(8 - front.length - back.length).fill(0), ...back];
}

function readGroups(groups: string): readonly number[] {
  return groups === '' ? [] : groups.split(':').map((group) => Number.parseInt(group, 16));
}

function toIPv4(groups: readonly number[]): string {
  return groups.flatMap((group) => [group >> 8, group & 0xff]).join('.');
}

function toHex(group: number): string {
  return group.toString(16);
}
