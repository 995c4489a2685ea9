import { describe, expect, it } from '@jest/globals';
import { ALICE, codeOf, startLoggedIn, VARIANTS } from './gateway';

const DEFAULT_TEXT = 'Please do not share your password pin. Your password pin is: ';

describe('the OTP object', () => {
  it('has the fields of variant A', async () => {
    const gateway = await startLoggedIn({ variant: 'A' });
    const reply = await gateway.generate({
      sender: 'Example',
      validity: 300,
      message: 'Code: [PIN]',
      reference_code: 'order 7',
    });
    expect(reply.status).toBe(201);
    expect(reply.body).toEqual({
      status_code: 201,
      status_message: 'Created',
      payload: {
        id: expect.stringMatching(/^[0-9a-f]{24}$/),
        mobile: ALICE,
        sender: 'Example',
        validity: 300,
        message: 'Code: [PIN]',
        reference_code: 'order 7',
      },
    });
  });

  it('has the fields of variant B', async () => {
    const gateway = await startLoggedIn({ variant: 'B', now: () => 1_700_000_000_000 });
    const reply = await gateway.generate({ reference_code: 'left aside' });
    expect(reply.status).toBe(201);
    expect(reply.body.payload).toEqual({
      id: expect.any(Number),
      mobile: ALICE,
      cost: '0.0079',
      valid_until: 1_700_000_600,
    });
  });

  it('has the defaults of the document in A', async () => {
    const { body } = await (await startLoggedIn({ variant: 'A' })).generate();
    expect(body.payload).toMatchObject({
      sender: 'SECUREPIN',
      validity: 600,
      message: `${DEFAULT_TEXT}[PIN]`,
    });
    expect(body.payload).not.toHaveProperty('reference_code');
  });
});

describe.each(VARIANTS)('generate, variant %s', (variant) => {
  it('sends the text with the pin in it', async () => {
    const gateway = await startLoggedIn({ variant, now: () => 1_700_000_000_000 });
    await gateway.generate();
    const pin = gateway.sim.lastPin('+12025550123') ?? '';
    expect(pin).toMatch(/^[0-9]{6}$/);
    expect(gateway.sim.lastPin(ALICE)).toBe(pin);
    expect(gateway.sim.outbox).toEqual([
      {
        id: expect.any(String),
        mobile: '+12025550123',
        sender: 'SECUREPIN',
        text: DEFAULT_TEXT + pin,
        pin,
        sentAt: 1_700_000_000_000,
        cost: '0.0079',
      },
    ]);
  });

  it.each([
    ['no number', { mobile: undefined }],
    ['a number with a plus', { mobile: '+12025550123' }],
    ['letters', { mobile: '1202555O123' }],
    ['too few digits', { mobile: '120255' }],
    ['too many digits', { mobile: '1202555012345678' }],
    ['a leading zero', { mobile: '02025550123' }],
    ['a list', { mobile: ['12025550123'] }],
    ['a fraction', { mobile: 1202555012.5 }],
  ])('refuses %s: 2103', async (_what, members) => {
    const gateway = await startLoggedIn({ variant });
    const reply = await gateway.generate(members);
    expect([reply.status, codeOf(reply)]).toEqual([422, 2103]);
    expect(gateway.sim.outbox).toHaveLength(0);
  });

  it.each([
    'A',
    'ABCDEFGHIJKL',
    'Ex_mple',
    'Bänk',
    '1234567890123',
    '123456789012345',
    '',
    7,
    null,
  ])('refuses the sender %j: 2104', async (sender) => {
    expect(codeOf(await (await startLoggedIn({ variant })).generate({ sender }))).toBe(2104);
  });

  it.each(['AB', 'ABCDEFGHIJK', 'My-Co. 24', '12345678901234', '12345678901'])(
    'takes the sender %j',
    async (sender) => {
      expect((await (await startLoggedIn({ variant })).generate({ sender })).status).toBe(201);
    },
  );

  it.each(['no placeholder', '[pin]', '', 5, null])(
    'refuses the message %j: 2105',
    async (message) => {
      expect(codeOf(await (await startLoggedIn({ variant })).generate({ message }))).toBe(2105);
    },
  );

  it.each([
    ['160 septets', 'A'.repeat(154) + '[PIN]', true],
    ['161 septets', 'A'.repeat(155) + '[PIN]', false],
    ['160 septets by a euro sign', 'A'.repeat(152) + '€[PIN]', true],
    ['161 septets by a euro sign', 'A'.repeat(153) + '€[PIN]', false],
    ['70 units with the pin', 'あ'.repeat(64) + '[PIN]', true],
    ['71 units with the pin', 'あ'.repeat(65) + '[PIN]', false],
    ['one ç among 154', 'ç' + 'A'.repeat(153) + '[PIN]', false],
  ])('measures the message: %s', async (_what, message, fits) => {
    const reply = await (await startLoggedIn({ variant })).generate({ message });
    expect(codeOf(reply)).toBe(fits ? undefined : { A: 2105, B: 2106 }[variant]);
  });

  it.each([0, -1, 1.5, 'soon', null])('refuses the validity %j: 2110', async (validity) => {
    expect(codeOf(await (await startLoggedIn({ variant })).generate({ validity }))).toBe(2110);
  });

  it('checks mobile, sender, validity and message in the order of the document', async () => {
    const gateway = await startLoggedIn({ variant });
    const broken = { mobile: 'x', sender: 'x', validity: 0, message: 'x' };
    const codes: unknown[] = [];
    for (const name of Object.keys(broken) as (keyof typeof broken)[]) {
      codes.push(codeOf(await gateway.generate(broken)));
      Reflect.deleteProperty(broken, name);
    }
    expect(codes).toEqual([2103, 2104, 2110, 2105]);
    const tooLong = { validity: 0, message: `${'A'.repeat(200)}[PIN]` };
    expect(codeOf(await gateway.generate(tooLong))).toBe(2110);
  });

  it('takes numeric members as numbers and as digits', async () => {
    const gateway = await startLoggedIn({ variant });
    expect((await gateway.generate({ mobile: 12025550123, validity: 300 })).status).toBe(201);
    expect((await gateway.generate({ mobile: '12025550123', validity: '300' })).status).toBe(201);
  });

  it('sends a listed number its fixed pin, and others a pin of the asked length', async () => {
    const gateway = await startLoggedIn({
      variant,
      pinDigits: 8,
      fixedPins: { '+12025550123': '424242' },
    });
    expect((await gateway.send()).pin).toBe('424242');
    expect((await gateway.send({ mobile: '447700900123' })).pin).toMatch(/^[0-9]{8}$/);
  });

  it('sends nothing without permission or to destinations that are not served', async () => {
    const forbidden = await startLoggedIn({ variant, maySendOtp: false });
    expect(codeOf(await forbidden.generate())).toBe({ A: 2121, B: 2100 }[variant]);
    const limited = await startLoggedIn({
      variant,
      unknownDestinations: ['44'],
      forbiddenDestinations: ['49'],
    });
    expect(codeOf(await limited.generate({ mobile: '447700900123' }))).toBe(
      { A: 2103, B: 2101 }[variant],
    );
    expect(codeOf(await limited.generate({ mobile: '4915112345678' }))).toBe(
      { A: 2103, B: 2102 }[variant],
    );
    expect((await limited.generate()).status).toBe(201);
  });
});

describe('what differs between the variants', () => {
  it.each([
    [119, 2110, undefined],
    [120, undefined, undefined],
    [1800, undefined, undefined],
    [1801, 2110, undefined],
  ])('takes a validity of %d seconds: A %p, B %p', async (validity, codeA, codeB) => {
    expect(codeOf(await (await startLoggedIn({ variant: 'A' })).generate({ validity }))).toBe(
      codeA,
    );
    expect(codeOf(await (await startLoggedIn({ variant: 'B' })).generate({ validity }))).toBe(
      codeB,
    );
  });

  it('takes a reference code of up to 50 characters in A', async () => {
    const gateway = await startLoggedIn({ variant: 'A' });
    expect((await gateway.generate({ reference_code: 'r'.repeat(50) })).status).toBe(201);
    expect((await gateway.generate({ reference_code: 'r'.repeat(51) })).status).toBe(422);
  });

  it.each([
    [50, undefined],
    [51, 2105],
  ])('counts a reference code in characters: %d emoji in A give %p', async (count, code) => {
    const gateway = await startLoggedIn({ variant: 'A' });
    const reply = await gateway.generate({ reference_code: '\u{1F511}'.repeat(count) });
    expect(codeOf(reply)).toBe(code);
  });
});
