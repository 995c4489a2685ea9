import { isIPv4, isIPv6 } from 'node:net';

/**
 * Returns the block of addresses that one client is counted by: its IPv4 address (also when mapped into IPv6), or the
 * first 64 bits of its IPv6 address, which one household or machine has to itself. All clients without an address share
 * one block.
 *
 * @param address `req.ip`: Express takes it from the proxies that the app trusts. No header is read here.
 */
export function toAddressBlock(address: string | undefined): string {
  const [withoutZone = ''] = (address ?? '').split('%');
  if (isIPv4(withoutZone)) return withoutZone;
  if (!isIPv6(withoutZone)) return 'none';
  const groups = expandIPv6(withoutZone);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  return isMapped ? toIPv4(groups) : `${groups.slice(0, 4).map(toHex).join(':')}::/64`;
}

function expandIPv6(address: string): readonly number[] {
  const [head = '', tail = ''] = foldDottedTail(address).split('::');
  const front = readGroups(head);
  const back = readGroups(tail);
  return [...front, ...new Array<number>(8 - front.length - back.length).fill(0), ...back];
}

/** Rewrites an address that ends in IPv4 notation (`::ffff:192.0.2.1`) with groups only. */
function foldDottedTail(address: string): string {
  const lastColon = address.lastIndexOf(':');
  const dotted = address.slice(lastColon + 1);
  if (!isIPv4(dotted)) return address;
  const [a = 0, b = 0, c = 0, d = 0] = dotted.split('.').map(Number);
  return `${address.slice(0, lastColon + 1)}${toHex(a * 256 + b)}:${toHex(c * 256 + d)}`;
}

function readGroups(groups: string): readonly number[] {
  return groups === '' ? [] : groups.split(':').map((group) => Number.parseInt(group, 16));
}

function toIPv4(groups: readonly number[]): string {
  return groups
    .slice(6)
    .flatMap((group) => [group >> 8, group & 0xff])
    .join('.');
}

function toHex(group: number): string {
  return group.toString(16);
}
