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
    const { payload } = (await (await open({ messageMember })).generate({ message: 'Code [PIN]' })).body;
    expect(payload).toMatchObject(has);
    expect(payload).not.toHaveProperty(hasNot);
  });

  it('messageMember both', async () => {
    const { payload } = (await (await open({ messageMember: 'both' })).generate({ message: 'Code [PIN]' }))
      .body;
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

describe('readings of variant B', () => {
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
    expect((await gateway.generate({ validity: 300 })).body.payload).toMatchObject({ valid_until: shown });
  });

  it.each([
    ['pin', 2120],
    ['state', 2109],
  ] as const)('judgedFirst %s answers a wrong pin for a consumed OTP with %d', async (judgedFirst, code) => {
    const gateway = await open({ judgedFirst }, 'B');
    const { id, pin } = await gateway.send();
    await gateway.validate(id, pin);
    expect(codeOf(await gateway.validate(id, wrongPin(pin)))).toBe(code);
  });

  it.each([
    ['pin', 2120],
    ['state', 2108],
  ] as const)('judgedFirst %s answers a wrong pin for an expired OTP with %d', async (judgedFirst, code) => {
    const gateway = await open({ judgedFirst }, 'B');
    const { id, pin } = await gateway.send();
    gateway.sim.advanceSeconds(600);
    expect(codeOf(await gateway.validate(id, wrongPin(pin)))).toBe(code);
    expect(codeOf(await gateway.validate(id, pin))).toBe(2108);
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
