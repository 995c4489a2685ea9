import { describe, expect, it } from '@jest/globals';
import { BlockList, isIPv6 } from 'node:net';
import fc from 'fast-check';
import { toAddressBlocks } from '../../src/limits/address-block';

function toAddressBlock(address: string | undefined): string | undefined {
  return toAddressBlocks(address)[0]?.block;
}

describe('the block of an address', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::FFFF:192.0.2.7', '192.0.2.7'],
    ['::ffff:c000:207', '192.0.2.7'],
    ['0:0:0:0:0:ffff:c000:0207', '192.0.2.7'],
    ['0000:0000:0000:0000:0000:ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002:0000:0000:0000:0001', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['64:ff9b::192.0.2.7', '192.0.2.7'],
    ['64:ff9b::c000:207', '192.0.2.7'],
    ['64:ff9b:1::192.0.2.7', '64:ff9b:1:0::/64'],
    ['2002:c000:207::1', '192.0.2.7'],
    ['2002:c000:0207:ffff::1', '192.0.2.7'],
    ['192.0.2.7:443', '192.0.2.7'],
    ['192.0.2.7:65535', '192.0.2.7'],
    ['[2001:db8:1:2::3]:443', '2001:db8:1:2::/64'],
    ['[2001:db8:1:2::3]', '2001:db8:1:2::/64'],
    ['[fe80::1%eth0]:443', 'fe80:0:0:0::/64'],
    ['[fe80::1%eth0]', 'fe80:0:0:0::/64'],
    ['[::ffff:192.0.2.7]:443', '192.0.2.7'],
  ])('of %s is %s', (address, block) => {
    expect(toAddressBlock(address)).toBe(block);
  });

  it.each([
    [undefined],
    [''],
    ['unknown'],
    ['192.0.2'],
    ['192.0.2.7:'],
    ['192.0.2.7:port'],
    ['192.0.2.7:443:443'],
    ['192.0.2.7:443210'],
    ['203.000.113.007'],
    ['256.0.0.1'],
    ['256.0.0.1:443'],
    ['0x7f.1'],
    ['[::1'],
    ['[::1]443'],
    ['[::1]:'],
    ['[[::1]]'],
    ['[192.0.2.7]:443'],
    ['[unknown]:443'],
    ['1:2:3'],
    ['192.0.2.7, 10.0.0.1'],
  ])('of %p is that of no address', (address) => {
    expect(toAddressBlock(address)).toBe('none');
  });

  it('is one for all spellings of an IPv6 address', () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        fc.pre(isIPv6(address));
        const canonical = new URL(`http://[${address}]/`).hostname.slice(1, -1);
        expect(toAddressBlock(address)).toBe(toAddressBlock(canonical));
        expect(toAddressBlock(address.toUpperCase())).toBe(toAddressBlock(canonical));
      }),
    );
  });

  it('is shared by two IPv6 addresses exactly when their first 64 bits are equal', () => {
    const group = fc.integer({ min: 0, max: 0xffff });
    const near = fc.tuple(fc.array(group, { minLength: 8, maxLength: 8 }), fc.nat(7), group);
    fc.assert(
      fc.property(near, ([groups, index, change]) => {
        // Those that hold an IPv4 address are another matter.
        const holdsIPv4 = ([first = 0]: number[]): boolean => [0, 0x64, 0x2002].includes(first);
        const other = groups.with(index, change);
        fc.pre(!holdsIPv4(groups) && !holdsIPv4(other));
        const [one, two] = [groups, other].map((all) =>
          all.map((value) => value.toString(16)).join(':'),
        );
        const subnet = new BlockList();
        subnet.addSubnet(one ?? '', 64, 'ipv6');
        expect(toAddressBlock(one) === toAddressBlock(two)).toBe(subnet.check(two ?? '', 'ipv6'));
      }),
    );
  });

  it('lies for IPv6 in a block of 48 bits that may use ten times as much, and for IPv4 in none', () => {
    expect(toAddressBlocks('2001:db8:1:2::7')).toEqual([
      { block: '2001:db8:1:2::/64', factor: 1 },
      { block: '2001:db8:1::/48', factor: 10 },
    ]);
    for (const address of [
      '192.0.2.7',
      '::ffff:192.0.2.7',
      '64:ff9b::192.0.2.7',
      '2002:c000:207::1',
    ]) {
      expect(toAddressBlocks(address)).toEqual([{ block: '192.0.2.7', factor: 1 }]);
    }
    expect(toAddressBlocks(undefined)).toEqual([{ block: 'none', factor: 1 }]);
  });

  it('is the same with a port, whatever the port is', () => {
    const port = fc.integer({ min: 0, max: 65_535 });
    fc.assert(
      fc.property(fc.ipV4(), fc.ipV6(), port, (ipV4, ipV6, number) => {
        fc.pre(isIPv6(ipV6));
        expect(toAddressBlocks(`${ipV4}:${number}`)).toEqual(toAddressBlocks(ipV4));
        expect(toAddressBlocks(`[${ipV6}]:${number}`)).toEqual(toAddressBlocks(ipV6));
        expect(toAddressBlocks(`[${ipV6}]`)).toEqual(toAddressBlocks(ipV6));
      }),
    );
  });

  it('is the address itself for IPv4, mapped or not', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        expect(toAddressBlock(address)).toBe(address);
        expect(toAddressBlock(`::ffff:${address}`)).toBe(address);
      }),
    );
  });
});
