import { isIPv4, isIPv6 } from 'node:net';

/**
 * The block of addresses one client is counted by: an IPv4 address (also when it comes mapped into IPv6), or the first
 * 64 bits of an IPv6 address, which one household or machine has to itself. No address at all counts as one address.
 *
 * @param address `req.ip`: Express takes it from the proxies the app trusts; no header is read here.
 */
export function toAddressBlock(address: string | undefined): string {
  const [plain = ''] = (address ?? '').split('%');
  if (isIPv4(plain)) return plain;
  if (!isIPv6(plain)) return 'none';
  const groups = expandIPv6(plain);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  return isMapped ? toIPv4(groups) : `${groups.slice(0, 4).map(toHex).join(':')}::/64`;
}

function expandIPv6(address: string): readonly number[] {
  const [head = '', tail] = foldDottedTail(address).split('::');
  const front = readGroups(head);
  const back = readGroups(tail ?? '');
  return [...front, ...new Array<number>(8 - front.length - back.length).fill(0), ...back];
}

function foldDottedTail(address: string): string {
  const lastColon = address.lastIndexOf(':');
  const dotted = address.slice(lastColon + 1);
  if (!isIPv4(dotted)) return address;
  const [a = 0, b = 0, c = 0, d = 0] = dotted.split('.').map(Number);
  return `${address.slice(0, lastColon + 1)}${toHex(a * 256 + b)}:${toHex(c * 256 + d)}`;
}

function readGroups(text: string): readonly number[] {
  return text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
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
