import { describe, expect, it } from '@jest/globals';
import type { Readings } from 'passport-sms-otp/simulator';
import { ALICE, codeOf, PATHS, startLoggedIn, wrongPin, type Gateway } from './gateway';

function open(readings: Partial<Readings>, variant: 'A' | 'B' = 'A'): Promise<Gateway> {
  return startLoggedIn({ variant, readings, now: () => 1_700_000_000_000 });
}

describe('readings of variant A', () => {
  it('idAlphabet hostile gives ids that are safe only percent-encoded', async () => {
    const gateway = await open({ idAlphabet: 'hostile' });
    const { id, pin } = await gateway.send();
    expect(id).toMatch(/[/]/);
    expect(id).toMatch(/[%?#& ]/);
    expect((await gateway.validate(id, pin)).status).toBe(200);
  });

  it.each([
    ['message', { message: 'Code [PIN]' }, 'imessaged'],
    ['imessaged', { imessaged: 'Code [PIN]' }, 'message'],
  ] as const)('messageMember %s', async (messageMember, has, hasNot) => {
    const { payload } = (await (await open({ messageMember })).generate({ message: 'Code [PIN]' }))
      .body;
    expect(payload).toMatchObject(has);
    expect(payload).not.toHaveProperty(hasNot);
  });

  it('messageMember both', async () => {
    const { payload } = (
      await (await open({ messageMember: 'both' })).generate({ message: 'Code [PIN]' })
    ).body;
    expect(payload).toMatchObject({ message: 'Code [PIN]', imessaged: 'Code [PIN]' });
  });

  it.each([
    ['empty', ''],
    ['null', null],
  ] as const)('missingReferenceCode %s', async (missingReferenceCode, shown) => {
    const gateway = await open({ missingReferenceCode });
    expect((await gateway.generate()).body.payload).toMatchObject({ reference_code: shown });
    const given = await gateway.generate({ reference_code: 'r' });
    expect(given.body.payload).toMatchObject({ reference_code: 'r' });
  });
});

describe('readings of the codes of variant A', () => {
  it.each([2121, 2100] as const)(
    'noPermissionCodeA %d is answered to an account without permission',
    async (noPermissionCodeA) => {
      const gateway = await startLoggedIn({
        variant: 'A',
        maySendOtp: false,
        readings: { noPermissionCodeA },
      });
      expect(codeOf(await gateway.generate())).toBe(noPermissionCodeA);
    },
  );

  it.each([
    ['listed', 2103, 2103, 2105],
    ['finer', 2101, 2102, 2106],
  ] as const)(
    'codesOfA %s answers %d, %d and %d to an unknown destination, a forbidden one and a long message',
    async (codesOfA, unknown, forbidden, tooLong) => {
      const gateway = await startLoggedIn({
        variant: 'A',
        readings: { codesOfA },
        unknownDestinations: ['44'],
        forbiddenDestinations: ['49'],
      });
      const replies = [
        await gateway.generate({ mobile: '447700900123' }),
        await gateway.generate({ mobile: '4915112345678' }),
        await gateway.generate({ message: `${'A'.repeat(200)}[PIN]` }),
      ];
      expect(replies.map(codeOf)).toEqual([unknown, forbidden, tooLong]);
    },
  );

  it.each([
    ['listed', 2107, 2107, 2107],
    ['finer', 2120, 2109, 2108],
  ] as const)(
    'codesOfA %s answers %d, %d and %d to a wrong, a consumed and an expired pin',
    async (codesOfA, wrong, consumed, expired) => {
      const gateway = await open({ codesOfA });
      const first = await gateway.send();
      const replies = [await gateway.validate(first.id, wrongPin(first.pin))];
      await gateway.validate(first.id, first.pin);
      replies.push(await gateway.validate(first.id, first.pin));
      const second = await gateway.send();
      gateway.sim.advanceSeconds(600);
      replies.push(await gateway.validate(second.id, second.pin));
      expect(replies.map(codeOf)).toEqual([wrong, consumed, expired]);
      expect(codeOf(await gateway.validate(second.id, '12a456'))).toBe(2107);
    },
  );

  it.each([
    [2105, 422, 2105],
    [422, 422, 422],
    ['cut', 201, undefined],
  ] as const)(
    'longReferenceCode %p answers 51 characters with %d',
    async (longReferenceCode, status, code) => {
      const gateway = await open({ longReferenceCode });
      const reply = await gateway.generate({ reference_code: `${'\u{1F511}'.repeat(50)}!` });
      expect([reply.status, codeOf(reply)]).toEqual([status, code]);
    },
  );

  it('longReferenceCode cut keeps the first 50 characters', async () => {
    const gateway = await open({ longReferenceCode: 'cut' });
    const reply = await gateway.generate({ reference_code: `${'\u{1F511}'.repeat(50)}!` });
    expect(reply.body.payload).toMatchObject({ reference_code: '\u{1F511}'.repeat(50) });
  });
});

describe('readings of variant B', () => {
  it.each([
    [59, 2110],
    [60, undefined],
    [300, undefined],
    [301, 2110],
  ])('validityRangeB from 60 to 300 answers %d seconds with %p', async (validity, code) => {
    const gateway = await open({ validityRangeB: { min: 60, max: 300 } }, 'B');
    expect(codeOf(await gateway.generate({ validity }))).toBe(code);
  });

  it.each([
    ['string', 'safe', /"id":"[1-9][0-9]{9}"/],
    ['string', 'beyond-safe', /"id":"[1-9][0-9]{15}"/],
    ['string', '20-digits', /"id":"1[0-9]{19}"/],
    ['number', 'beyond-safe', /"id":[1-9][0-9]{15},/],
    ['number', '20-digits', /"id":1[0-9]{19},/],
    ['padded', 'safe', /"id":"0{10}[1-9][0-9]{9}"/],
    ['padded', 'beyond-safe', /"id":"0{4}[1-9][0-9]{15}"/],
  ] as const)('idAs %s with idSize %s writes %p', async (idAs, idSize, pattern) => {
    const gateway = await open({ idAs, idSize }, 'B');
    const { text } = await gateway.generate();
    expect(text).toMatch(pattern);
    const digits = /"id":"?([0-9]+)/.exec(text)?.[1] ?? '';
    expect(gateway.sim.outbox[0]?.id).toBe(digits);
    const pin = gateway.sim.lastPin(ALICE);
    // The last digit is one that a double may lose.
    expect(codeOf(await gateway.validate(String(BigInt(digits) + 1n), pin))).toBe(2120);
    expect((await gateway.validate(digits, pin)).status).toBe(200);
  });

  it('idAs padded does not know the id without its zeros', async () => {
    const gateway = await open({ idAs: 'padded' }, 'B');
    const { id, pin } = await gateway.send();
    expect(codeOf(await gateway.validate(String(BigInt(id)), pin))).toBe(2120);
    expect((await gateway.validate(id, pin)).status).toBe(200);
  });

  it.each([
    ['number', '"valid_until":1700000300}'],
    ['string', '"valid_until":"1700000300"}'],
  ] as const)('validUntilType %s', async (validUntilType, written) => {
    const gateway = await open({ validUntilType }, 'B');
    expect((await gateway.generate({ validity: 300 })).text).toContain(written);
  });

  it('idAs string shows the id as digits', async () => {
    const gateway = await open({ idAs: 'string' }, 'B');
    const { payload } = (await gateway.generate()).body;
    expect(payload).toMatchObject({ id: expect.stringMatching(/^[0-9]+$/) });
  });

  it('idSize beyond-safe writes a number that a parser of doubles rounds', async () => {
    const gateway = await open({ idSize: 'beyond-safe' }, 'B');
    const { text } = await gateway.generate();
    const digits = /"id":([0-9]+),/.exec(text)?.[1] ?? '';
    expect(BigInt(digits)).toBeGreaterThan(9_007_199_254_740_992n);
    expect(BigInt(Number(digits))).not.toBe(BigInt(digits));
    expect((await gateway.validate(digits, gateway.sim.lastPin(ALICE))).status).toBe(200);
  });

  it.each([
    ['string', '"cost":"0.0079"'],
    ['number', '"cost":0.0079'],
  ] as const)('costAs %s', async (costAs, written) => {
    expect((await (await open({ costAs }, 'B')).generate()).text).toContain(written);
  });

  it('writes a cost as number with its trailing zeros', async () => {
    const { text } = await (await open({ costAs: 'number', moneyDecimals: 6 }, 'B')).generate();
    expect(text).toContain('"cost":0.007900');
  });

  it.each([
    ['epoch-seconds', 1_700_000_300],
    ['epoch-ms', 1_700_000_300_000],
    ['duration-seconds', 300],
  ] as const)('validUntilAs %s', async (validUntilAs, shown) => {
    const gateway = await open({ validUntilAs }, 'B');
    expect((await gateway.generate({ validity: 300 })).body.payload).toMatchObject({
      valid_until: shown,
    });
  });

  it.each([
    ['pin', 2120],
    ['state', 2109],
  ] as const)(
    'judgedFirst %s answers a wrong pin for a consumed OTP with %d',
    async (judgedFirst, code) => {
      const gateway = await open({ judgedFirst }, 'B');
      const { id, pin } = await gateway.send();
      await gateway.validate(id, pin);
      expect(codeOf(await gateway.validate(id, wrongPin(pin)))).toBe(code);
    },
  );

  it.each([
    ['pin', 2120],
    ['state', 2108],
  ] as const)(
    'judgedFirst %s answers a wrong pin for an expired OTP with %d',
    async (judgedFirst, code) => {
      const gateway = await open({ judgedFirst }, 'B');
      const { id, pin } = await gateway.send();
      gateway.sim.advanceSeconds(600);
      expect(codeOf(await gateway.validate(id, wrongPin(pin)))).toBe(code);
      expect(codeOf(await gateway.validate(id, pin))).toBe(2108);
    },
  );
});

describe('networkCodesAs number', () => {
  it('writes the codes of price rows without leading zeros', async () => {
    const gateway = await open({ networkCodesAs: 'number' });
    const { text } = await gateway.get(PATHS.pricing.A);
    expect(text).toContain('"operatorname":"Rheinfunk","mcc":262,"mnc":1,"price":"0.0750"');
    const lookups = await gateway.get(PATHS.hlrPricing);
    expect(lookups.text).toContain(
      '"countryname":"United Kingdom","countrycode":44,"countryiso":"GB"',
    );
  });

  it('writes the codes of a lookup as numbers', async () => {
    const gateway = await open({ networkCodesAs: 'number' });
    gateway.sim.subscribers.set(ALICE, {
      mcc: '262',
      mnc: '01',
      imsi: '262012025550123',
      msc: '0',
    });
    const { text } = await gateway.get(PATHS.lookup + ALICE);
    expect(text).toContain('"mcc":262,"mnc":1,"imsi":262012025550123,"msc":0,"cost":"0.0050"');
  });

  it('leaves a code that has other characters than digits as it is', async () => {
    const gateway = await open({ networkCodesAs: 'number' });
    gateway.sim.subscribers.set(ALICE, { imsi: '26201xxxxxxxxxx', msc: '' });
    expect((await gateway.get(PATHS.lookup + ALICE)).body.payload).toMatchObject({
      imsi: '26201xxxxxxxxxx',
      msc: '',
    });
  });
});

describe('readings of lookups', () => {
  it('invalidPhoneCode 2003', async () => {
    const gateway = await open({ invalidPhoneCode: 2003 });
    expect(codeOf(await gateway.get(PATHS.lookup + 'x'))).toBe(2003);
  });

  it('invalidLookup full shows everything', async () => {
    const gateway = await open({ invalidLookup: 'full' });
    gateway.sim.subscribers.set(ALICE, { status: 'invalid' });
    expect((await gateway.get(PATHS.lookup + ALICE)).body.payload).toMatchObject({
      mcc: '310',
      cost: '0.0050',
    });
  });

  it.each([
    [true, '99.9950'],
    [false, '100.0000'],
  ])('invalidLookupCosts %p leaves %s', async (invalidLookupCosts, balance) => {
    const gateway = await open({ invalidLookupCosts });
    gateway.sim.subscribers.set(ALICE, { status: 'invalid' });
    await gateway.get(PATHS.lookup + ALICE);
    expect((await gateway.balance()).body.payload).toEqual({ balance });
  });
});
