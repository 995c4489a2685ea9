import { describe, expect, it } from '@jest/globals';
import type { Readings } from 'passport-sms-otp/simulator';
import { measureTemplate } from '../../src/protocol/message-length';
import { ALICE, codeOf, PATHS, startLoggedIn, VARIANTS, wrongPin, type Gateway } from './gateway';

function open(readings: Partial<Readings>, variant: 'A' | 'B' = 'A'): Promise<Gateway> {
  return startLoggedIn({ variant, readings, now: () => 1_700_000_000_000 });
}

describe.each(VARIANTS)('readings of generate and validate, variant %s', (variant) => {
  it.each([
    ['digits', '12025550123'],
    ['number', 12025550123],
    ['plus', '+12025550123'],
  ] as const)('mobileAs %s shows %j', async (mobileAs, shown) => {
    const gateway = await open({ mobileAs }, variant);
    expect((await gateway.generate()).body.payload).toMatchObject({ mobile: shown });
    expect((await gateway.get(PATHS.lookup + ALICE)).body.payload).toMatchObject({ phone: shown });
  });

  it.each([
    ['zero', /^0[0-9]{5}$/],
    ['not-zero', /^[1-9][0-9]{5}$/],
  ] as const)('firstPinDigit %s makes such pins alone', async (firstPinDigit, pattern) => {
    const gateway = await open({ firstPinDigit }, variant);
    for (let round = 0; round < 20; round += 1) {
      const { id, pin } = await gateway.send();
      expect(pin).toMatch(pattern);
      expect((await gateway.validate(id, pin)).status).toBe(200);
    }
  });

  it.each([
    ['first', '1: 424242, 2: [PIN]'],
    ['all', '1: 424242, 2: 424242'],
  ] as const)('placeholdersFilled %s sends %j', async (placeholdersFilled, text) => {
    const gateway = await startLoggedIn({
      variant,
      readings: { placeholdersFilled },
      fixedPins: { [ALICE]: '424242' },
    });
    await gateway.generate({ message: '1: [PIN], 2: [PIN]' });
    expect(gateway.sim.outbox[0]?.text).toBe(text);
  });

  it.each([
    ['template', true, false],
    ['text', false, true],
    ['both', false, false],
  ] as const)(
    'measured %s takes a UCS-2 text too long with its pin: %p, a template with brackets: %p',
    async (measured, longText, longTemplate) => {
      const gateway = await open({ measured, measuredIn: 'units' }, variant);
      expect((await gateway.generate({ message: 'あ'.repeat(65) + '[PIN]' })).status === 201).toBe(
        longText,
      );
      expect((await gateway.generate({ message: 'A'.repeat(154) + '[PIN]' })).status === 201).toBe(
        longTemplate,
      );
    },
  );

  it.each([
    ['units', 'gsm-7', 153, 76],
    ['characters', 'gsm-7', 155, 155],
    ['units', 'ucs-2', 65, 65],
    ['characters', 'ucs-2', 65, 65],
  ] as const)(
    'measuredIn %s, extensionCharacters %s: at most %d letters or %d euro signs fit beside [PIN]',
    async (measuredIn, extensionCharacters, letters, euroSigns) => {
      const readings = { measuredIn, extensionCharacters, measured: 'template' } as const;
      const gateway = await open(readings, variant);
      const isTaken = async (text: string) =>
        (await gateway.generate({ message: `${text}[PIN]` })).status === 201;
      expect([await isTaken('A'.repeat(letters)), await isTaken('A'.repeat(letters + 1))]).toEqual([
        true,
        false,
      ]);
      expect([
        await isTaken('€'.repeat(euroSigns)),
        await isTaken('€'.repeat(euroSigns + 1)),
      ]).toEqual([true, false]);
    },
  );

  it('measuredIn characters counts an emoji once, and units counts it twice', async () => {
    const message = `${'\u{1F511}'.repeat(60)}[PIN]`;
    expect(
      (await (await open({ measuredIn: 'characters' }, variant)).generate({ message })).status,
    ).toBe(201);
    expect((await (await open({}, variant)).generate({ message })).status).toBe(422);
  });

  it.each([
    [true, 153],
    [false, 154],
  ])('bracketsCount %p takes at most %d letters beside [PIN]', async (bracketsCount, most) => {
    const gateway = await open({ bracketsCount, measuredIn: 'units' }, variant);
    expect((await gateway.generate({ message: `${'A'.repeat(most)}[PIN]` })).status).toBe(201);
    expect((await gateway.generate({ message: `${'A'.repeat(most + 1)}[PIN]` })).status).toBe(422);
  });

  it.each([
    ['159 characters', `[PIN]${'x'.repeat(154)}`, 201],
    ['160 characters', `[PIN]${'x'.repeat(155)}`, 422],
    ['77 euro signs', `[PIN]${'€'.repeat(77)}`, 201],
    ['78 euro signs', `[PIN]${'€'.repeat(78)}`, 422],
    ['64 characters of UCS-2', `[PIN]${'あ'.repeat(64)}`, 201],
    ['65 characters of UCS-2', `[PIN]${'あ'.repeat(65)}`, 422],
  ])(
    'measures by default as the client does with codes of six digits: %s',
    async (_what, message, status) => {
      const isSent = measureTemplate(message, 6).problem === null;
      expect(isSent).toBe(status === 201);
      expect((await (await open({}, variant)).generate({ message })).status).toBe(status);
    },
  );

  it('bracketsCount false keeps [PIN] from needing UCS-2 where extension characters do', async () => {
    const readings = { extensionCharacters: 'ucs-2', bracketsCount: false } as const;
    const gateway = await open(readings, variant);
    expect((await gateway.generate({ message: `${'A'.repeat(154)}[PIN]` })).status).toBe(201);
    expect((await gateway.generate({ message: `€${'A'.repeat(80)}[PIN]` })).status).toBe(422);
  });

  it.each([200, 201, 202])(
    'generateStatus %d is the status of a sent OTP',
    async (generateStatus) => {
      const reply = await (await open({ generateStatus }, variant)).generate();
      expect([reply.status, reply.body.status_code]).toEqual([generateStatus, generateStatus]);
      expect(reply.body.payload).toMatchObject({ mobile: ALICE });
    },
  );

  it.each([2121, 2100, null])(
    'emptyBalanceCode %p is what an empty account hears',
    async (emptyBalanceCode) => {
      const gateway = await startLoggedIn({
        variant,
        balance: '0.0000',
        readings: { emptyBalanceCode },
      });
      const reply = await gateway.generate();
      expect(codeOf(reply)).toBe(emptyBalanceCode ?? undefined);
      const balance = emptyBalanceCode === null ? '-0.0079' : '0.0000';
      expect((await gateway.balance()).body.payload).toEqual({ balance });
    },
  );

  it.each([
    ['empty-string', { payload: '' }],
    ['null', { payload: null }],
    ['empty-object', { payload: {} }],
    ['missing', {}],
  ] as const)('validatePayload %s', async (validatePayload, members) => {
    const gateway = await open({ validatePayload }, variant);
    const { id, pin } = await gateway.send();
    expect((await gateway.validate(id, pin)).body).toEqual({
      status_code: 200,
      status_message: 'OK',
      ...members,
    });
  });

  it('newPinEndsOld lets the newest pin of a number live alone', async () => {
    const gateway = await open({ newPinEndsOld: true }, variant);
    const first = await gateway.send();
    const other = await gateway.send({ mobile: '447700900123' });
    const second = await gateway.send();
    expect(codeOf(await gateway.validate(first.id, first.pin))).toBe({ A: 2107, B: 2120 }[variant]);
    expect((await gateway.validate(second.id, second.pin)).status).toBe(200);
    expect((await gateway.validate(other.id, other.pin, '447700900123')).status).toBe(200);
  });

  it('unknownId uri-not-found answers 1007', async () => {
    const gateway = await open({ unknownId: 'uri-not-found' }, variant);
    const reply = await gateway.validate('4711', '123456');
    expect([reply.status, codeOf(reply)]).toEqual([404, 1007]);
  });

  it('maxWrongPins kills an OTP', async () => {
    const gateway = await open({ maxWrongPins: 3 }, variant);
    const { id, pin } = await gateway.send();
    for (let round = 0; round < 3; round += 1) await gateway.validate(id, wrongPin(pin));
    expect(codeOf(await gateway.validate(id, pin))).toBe({ A: 2107, B: 2120 }[variant]);
  });

  it.each([0, 2, 6])('moneyDecimals %d', async (moneyDecimals) => {
    const gateway = await open({ moneyDecimals }, variant);
    await gateway.generate();
    const balance = { 0: '100', 2: '99.99', 6: '99.992100' }[moneyDecimals];
    expect((await gateway.balance()).body.payload).toEqual({ balance });
  });
});
