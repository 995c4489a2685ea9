import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { createSmsOtp, type SmsOtpOptions } from 'passport-sms-otp';
import { GatewayClient } from 'passport-sms-otp/client';
import { GatewaySimulator } from 'passport-sms-otp/simulator';
import { ALICE, BOB, codeOf, startLoggedIn, VARIANTS, wrongPin } from './gateway';

const SOURCES = join(__dirname, '../../src');
const PIN = '123456';
const FIXED = { fixedPins: { [`+${ALICE}`]: PIN } };

describe.each(VARIANTS)('a number with a fixed pin in variant %s', (variant) => {
  it('gets that pin with every text, and each is good once', async () => {
    const gateway = await startLoggedIn({ variant, ...FIXED });
    const first = await gateway.send();
    expect(first.pin).toBe(PIN);
    expect(gateway.sim.outbox.at(-1)?.text).toContain(PIN);
    expect((await gateway.validate(first.id, PIN)).status).toBe(200);
    expect((await gateway.validate(first.id, PIN)).status).not.toBe(200);
    const second = await gateway.send();
    expect(second.id).not.toBe(first.id);
    expect((await gateway.validate(second.id, PIN)).status).toBe(200);
  });

  it('is refused with any other pin', async () => {
    const gateway = await startLoggedIn({ variant, ...FIXED });
    const { id } = await gateway.send();
    expect(codeOf(await gateway.validate(id, wrongPin(PIN)))).toBe({ A: 2107, B: 2120 }[variant]);
  });

  it('is refused when the pin is too old, as any other', async () => {
    const gateway = await startLoggedIn({ variant, ...FIXED });
    const { id } = await gateway.send();
    gateway.sim.advanceSeconds(100_000);
    await gateway.logIn();
    const tooOld = await gateway.validate(id, PIN);
    expect(tooOld.status).not.toBe(200);
    expect(codeOf(tooOld)).toBe({ A: 2107, B: 2108 }[variant]);
  });

  it('changes nothing for other numbers', async () => {
    const gateway = await startLoggedIn({ variant, ...FIXED });
    const pins: string[] = [];
    for (let round = 0; round < 5; round += 1) pins.push((await gateway.send({ mobile: BOB })).pin);
    expect(new Set(pins).size).toBeGreaterThan(1);
  });
});

describe('the option fixedPins', () => {
  it.each([
    ['letters', { [ALICE]: '12a456' }],
    ['three digits', { [ALICE]: '123' }],
    ['eleven digits', { [ALICE]: '12345678901' }],
    ['an empty pin', { [ALICE]: '' }],
    ['a number as pin', { [ALICE]: 123456 }],
    ['a national number', { '02025550123': PIN }],
    ['a number with spaces', { '+1 202 555 0123': PIN }],
    ['no number', { alice: PIN }],
    ['a number twice, with and without plus', { [ALICE]: PIN, [`+${ALICE}`]: '654321' }],
    ['a list', [PIN]],
    ['a Map', new Map([[ALICE, PIN]])],
  ])('is refused with %s, and its values are not told', async (_title, fixedPins) => {
    // Wrong on purpose: the types do not let it pass.
    const start = GatewaySimulator.start({
      fixedPins: fixedPins as unknown as Record<string, string>,
    });
    const error = await start.then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(TypeError);
    expect(String(error)).toMatch(/fixedPins/);
    expect(String(error)).not.toMatch(/\d{3}/);
  });
});

describe('the library', () => {
  const gateway = {
    baseUrl: 'https://gateway.example',
    variant: 'A',
    username: 'u',
    password: 'p',
  } as const;

  it('has no option for fixed pins, and neither has its client', () => {
    const options = {
      gateway,
      allowedCountries: ['US'],
      getPhone: () => null,
      secret: 'a secret of the tests, long enough to be one',
      loadUser: () => null,
    };
    // The compiler refuses it too.
    const withPins: SmsOtpOptions = Object.assign({}, options, FIXED);
    expect(() => createSmsOtp(withPins)).toThrow(/fixedPins/);
    expect(() => new GatewayClient({ ...gateway, ...FIXED })).toThrow(/fixedPins/);
  });

  it('knows no such thing outside of the simulator', () => {
    const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => relative(SOURCES, join(SOURCES, file)).split(sep).join('/'));
    const knowing = files.filter((file) =>
      /(fixed|static|magic|master|test|demo)[-_ ]?(pin|code|number)s?\b/i.test(
        readFileSync(join(SOURCES, file), 'utf8'),
      ),
    );
    expect(files.length).toBeGreaterThan(100);
    // The command that starts the simulator passes them on.
    expect(knowing.filter((file) => !file.startsWith('simulator/'))).toEqual([
      'cli/commands/simulate.ts',
    ]);
    expect(knowing).toContain('simulator/options.ts');
  });
});
