import { describe, expect, it } from '@jest/globals';
import {
  GatewayBusyError,
  GatewayRejectedError,
  type OtpCall,
  type OtpGateway,
  type OtpText,
  type Permit,
  type Policy,
  StoreError,
  type TypedPin,
} from 'passport-sms-otp';
import { GatewayClient, type GatewayEvent } from 'passport-sms-otp/client';
import { numberCheck, spendLimits } from 'passport-sms-otp/policies';
import { FakeGateway } from '../support/fake-gateway';
import { ALICE, startTestApp, type TestApp, type TestAppOptions } from '../support/test-app';
import { UNREADABLE } from '../support/unreadable';
import { useOwnApps } from '../support/use-app';
import { seen, visit } from '../support/visit';

const test = useOwnApps();
const visitor = visit(test);

async function start(gateway: OtpGateway, more: TestAppOptions = {}): Promise<TestApp> {
  return test.start({ ...more, options: { ...more.options, gateway } });
}

/** Starts an app with a fake gateway. */
async function fake(more: TestAppOptions = {}): Promise<FakeGateway> {
  const gateway = new FakeGateway();
  await start(gateway, more);
  return gateway;
}

const thrower = (thrown: unknown) => () => {
  throw thrown;
};

describe('a login with a gateway of the app', () => {
  it('passes with the code that it has texted, and with no other', async () => {
    const gateway = await fake();
    expect((await visitor.login()).body).toMatchObject({ sent: true });
    expect(gateway.texts).toMatchObject([
      { to: ALICE.phone, validitySeconds: 300, message: expect.stringContaining('[PIN]') },
    ]);
    expect(seen(await visitor.enter('000000'))).toEqual([401, { error: 'invalid-code' }]);
    expect((await visitor.enter(gateway.lastPin(ALICE.phone))).body).toMatchObject({
      verified: true,
      isAuthenticated: true,
    });
    expect(gateway.typed).toEqual([
      { id: 'fake-1', to: ALICE.phone, pin: '000000' },
      { id: 'fake-1', to: ALICE.phone, pin: '100000' },
    ]);
    expect(test.sim.stats().calls).toMatchObject({ auth: 0, generate: 0, validate: 0 });
  });

  it('ends when it says that the code is over', async () => {
    const gateway = await fake();
    await visitor.login();
    gateway.answerValidate = () => 'over';
    expect(seen(await visitor.enter('100000'))).toEqual([401, { error: 'invalid-code' }]);
    expect((await visitor.status()).body).toMatchObject({ pending: null, isAuthenticated: false });
  });

  it('lets in by the same code after the store has refused the success, if it checks codes twice', async () => {
    const gateway = await fake({ isTampered: true });
    gateway.answerValidate = () => 'right';
    await visitor.login();
    const readonly = new Error("READONLY You can't write against a read only replica.");
    test.tampered.tamper('finish', () => Promise.reject(readonly));
    const code = gateway.lastPin(ALICE.phone);
    expect(seen(await visitor.enter(code))).toEqual([503, { code: 'ERR_STORE' }]);
    test.tampered.heal();
    expect((await visitor.enter(code)).body).toMatchObject({ verified: true });
  });

  it('shortens the life of a code as it says, and lengthens none', async () => {
    const gateway = await fake();
    const lifeOf = async (validitySeconds: unknown): Promise<number> => {
      gateway.answerGenerate = (id) => ({ id, validitySeconds });
      await visitor.login();
      const { expiresAt } = (await visitor.status()).body.pending as { expiresAt: number };
      const seconds = (expiresAt - test.clock.now()) / 1000;
      await visitor.cancel();
      test.clock.advanceSeconds(86_400);
      return seconds;
    };
    const answers = [60, 600, undefined, null, '60', 0, -1, NaN, Infinity, {}];
    const lives: number[] = [];
    for (const answer of answers) lives.push(await lifeOf(answer));
    expect(lives).toEqual([60, ...Array<number>(answers.length - 1).fill(300)]);
  });

  it('tells the cost of a text, if it is a decimal', async () => {
    const gateway = await fake();
    for (const cost of ['0.0450', '-0.0075', 0.045, '4e-2', 'free', null]) {
      gateway.answerGenerate = (id) => ({ id, cost });
      await visitor.login();
      test.clock.advanceSeconds(86_400);
    }
    expect(test.told('sent').map(({ cost }) => cost)).toEqual([
      '0.0450',
      '-0.0075',
      null,
      null,
      null,
      null,
    ]);
  });

  it('calls it as a method', async () => {
    class Counting implements OtpGateway {
      readonly calls: string[] = [];
      generate({ to }: OtpText) {
        this.calls.push(`text ${to}`);
        return Promise.resolve({ id: 'one' });
      }
      validate({ id }: TypedPin) {
        this.calls.push(`judge ${id}`);
        return Promise.resolve('right' as const);
      }
    }
    const gateway = new Counting();
    await start(gateway);
    await visitor.login();
    expect((await visitor.enter('123456')).status).toBe(200);
    expect(gateway.calls).toEqual([`text ${ALICE.phone}`, 'judge one']);
  });
});

describe('an id of a gateway of the app', () => {
  it('that the pending login has already is the same text: its attempts go on', async () => {
    const gateway = await fake();
    gateway.nextId = 'repeated';
    await visitor.login();
    for (const pin of ['000001', '000002', '000003']) await visitor.enter(pin);
    test.clock.advanceSeconds(60);
    expect((await visitor.resend()).body).toMatchObject({ sent: true });
    expect((await visitor.enter('000004')).body).toEqual({ error: 'invalid-code' });
    expect((await visitor.enter('000005')).body).toEqual({ error: 'invalid-code' });
    // The sixth is not judged, although it is right.
    const judged = gateway.typed.length;
    expect((await visitor.enter(gateway.lastPin(ALICE.phone))).status).not.toBe(200);
    expect(gateway.typed).toHaveLength(judged);
  });

  it('that another pending login has is a text of its own there', async () => {
    const gateway = await fake();
    gateway.nextId = 'repeated';
    await visitor.login();
    for (const pin of ['000001', '000002', '000003', '000004', '000005']) await visitor.enter(pin);
    test.clock.advanceSeconds(86_400);
    await visitor.login();
    expect((await visitor.enter('000006')).body).toEqual({ error: 'invalid-code' });
    expect((await visitor.enter(gateway.lastPin(ALICE.phone))).status).toBe(200);
  });
});

const NO_TEXT: readonly [string, () => unknown][] = [
  ['nothing', () => undefined],
  ['null', () => null],
  ['a string', () => 'fake-1'],
  ['a list', () => ['fake-1']],
  ['no id', () => ({})],
  ['an id that is a number', () => ({ id: 7 })],
  ['an empty id', () => ({ id: '' })],
  ['an id of 257 characters', () => ({ id: 'x'.repeat(257) })],
  ['an id with a line break', () => ({ id: 'a\nb' })],
  ['an id that is no Unicode', () => ({ id: '\ud800' })],
  [
    'an id that cannot be read',
    () => Object.defineProperty({}, 'id', { get: thrower(new Error('canary')) }),
  ],
];

describe('a text of a gateway of the app', () => {
  it.each(NO_TEXT)(
    'whose answer is %s is lost: nobody is in, and none is sent again',
    async (_what, answer) => {
      const gateway = await fake();
      gateway.answerGenerate = answer;
      const failed = await visitor.login();
      expect(seen(failed)).toEqual([
        502,
        { error: 'not-sent', pending: true, retryAfterSeconds: 30 },
      ]);
      expect((await visitor.enter(gateway.lastPin(ALICE.phone))).status).toBe(401);
      expect(gateway.texts).toHaveLength(1);
      expect(gateway.typed).toEqual([]);
      expect(test.logins).toEqual([]);
    },
  );

  it.each<[string, unknown, number]>([
    ['an error', new Error('canary'), 502],
    [
      'an error that says that it may be out',
      Object.assign(new Error(), { mayHaveArrived: true }),
      502,
    ],
    [
      'an error that says that it is not out',
      Object.assign(new Error(), { mayHaveArrived: false }),
      503,
    ],
    ['a string', 'canary', 502],
    ['nothing', undefined, 502],
    ['a rejection of ours', new GatewayRejectedError('generate', { httpStatus: 409 }), 502],
    ['a refusal of ours', new GatewayBusyError('too many', 7), 503],
  ])('that fails with %s leaves a login without a text', async (_what, thrown, status) => {
    const gateway = await fake();
    gateway.answerGenerate = thrower(thrown);
    const failed = await visitor.login();
    expect(failed.status).toBe(status);
    expect(failed.body).toMatchObject({ error: 'not-sent', pending: true });
    expect(gateway.texts).toHaveLength(1);
    expect(JSON.stringify(test.events)).not.toContain('canary');
  });

  it('that surely did not go out is given back, and one that may be out is not', async () => {
    const settled: string[] = [];
    const watch: Policy = {
      name: 'watch',
      stage: 'send',
      check: () => 'allow',
      settle: (_context, { kind }) => settled.push(kind),
    };
    const gateway = await fake({ options: { policies: [watch] } });
    for (const thrown of [
      Object.assign(new Error(), { mayHaveArrived: false }),
      new GatewayRejectedError('generate', { httpStatus: 400, mayHaveArrived: false }),
      new Error('who knows'),
      new GatewayRejectedError('generate', { httpStatus: 400 }),
    ]) {
      gateway.answerGenerate = thrower(thrown);
      await visitor.login();
      test.clock.advanceSeconds(86_400);
    }
    expect(settled).toEqual(['not-sent', 'not-sent', 'unknown', 'unknown']);
  });

  it('before which its own store has failed ends in a StoreError', async () => {
    const gateway = await fake();
    gateway.answerGenerate = thrower(
      Object.assign(new StoreError('put'), { mayHaveArrived: false }),
    );
    expect(seen(await visitor.login())).toEqual([503, { code: 'ERR_STORE' }]);
    expect((await visitor.status()).body).toMatchObject({ isAuthenticated: false });
  });
});

const NO_VERDICT: readonly [string, unknown][] = [
  ['nothing', undefined],
  ['null', null],
  ['true', true],
  ['1', 1],
  ['an empty string', ''],
  ['another case', 'Right'],
  ['a string object', Object('right') as unknown],
  ['a list', ['right']],
  ['an object', { verdict: 'right' }],
];

describe('a judgement of a gateway of the app', () => {
  it.each(NO_VERDICT)('that is %s is lost, and lets nobody in', async (_what, answer) => {
    const gateway = await fake();
    await visitor.login();
    gateway.answerValidate = () => answer;
    const lost = await visitor.enter(gateway.lastPin(ALICE.phone));
    expect(seen(lost)).toEqual([502, { code: 'ERR_GATEWAY_RESPONSE' }]);
    expect(gateway.typed).toHaveLength(1);
    expect((await visitor.status()).body).toMatchObject({ pending: null, isAuthenticated: false });
    expect(test.logins).toEqual([]);
  });

  it('that throws may have been made, unless it says that it was not', async () => {
    const gateway = await fake();
    await visitor.login();
    gateway.answerValidate = thrower(Object.assign(new Error(), { mayHaveArrived: false }));
    expect(seen(await visitor.enter('000000'))).toEqual([503, { code: 'ERR_GATEWAY_UNREACHABLE' }]);
    expect((await visitor.status()).body.pending).toMatchObject({ isSent: true });
    expect(test.told('failure-count-changed')).toEqual([]);
    gateway.answerValidate = thrower(new Error('canary'));
    expect(seen(await visitor.enter('000000'))).toEqual([502, { code: 'ERR_GATEWAY_RESPONSE' }]);
    expect((await visitor.status()).body.pending).toBeNull();
  });

  it.each(UNREADABLE)(
    'that throws %s that throws when it is read is lost',
    async (_what, thrown) => {
      const gateway = await fake();
      gateway.answerGenerate = thrower(thrown);
      expect(seen(await visitor.login())).toMatchObject([
        502,
        { error: 'not-sent', pending: true },
      ]);
      await visitor.cancel();
      test.clock.advanceSeconds(86_400);
      gateway.answerGenerate = () => ({ id: 'x' });
      await visitor.login();
      gateway.answerValidate = thrower(thrown);
      expect(seen(await visitor.enter('000000'))).toEqual([502, { code: 'ERR_GATEWAY_RESPONSE' }]);
    },
  );

  it('that its own store has lost ends the login, and one that was not made does not', async () => {
    const gateway = await fake();
    await visitor.login();
    const failed = (mayHaveArrived: boolean) =>
      thrower(Object.assign(new StoreError('swap'), { mayHaveArrived }));
    gateway.answerValidate = failed(false);
    expect(seen(await visitor.enter('000000'))).toEqual([503, { code: 'ERR_STORE' }]);
    expect((await visitor.status()).body.pending).toMatchObject({ isSent: true });
    expect(test.told('failure-count-changed')).toEqual([]);
    gateway.answerValidate = failed(true);
    expect(seen(await visitor.enter('000000'))).toEqual([503, { code: 'ERR_STORE' }]);
    expect((await visitor.status()).body.pending).toBeNull();
  });

  it('is never a yes where the calls of a client are passed in place of the client', async () => {
    // The types refuse it: `validate` resolves to nothing, and throws for a wrong pin.
    const { sim } = await test.start();
    const { baseUrl, username, password } = sim;
    const client = new GatewayClient({ baseUrl, variant: 'A', username, password });
    const gateway = {
      generate: ({ to, ...text }: OtpText) => client.otp.generate({ ...text, mobile: to }),
      validate: ({ to, ...typed }: TypedPin) => client.otp.validate({ ...typed, mobile: to }),
    };
    const { logins } = await start(gateway as unknown as OtpGateway);
    await visitor.login();
    const lost = await visitor.enter(sim.lastPin(ALICE.phone ?? ''));
    expect(seen(lost)).toEqual([502, { code: 'ERR_GATEWAY_RESPONSE' }]);
    expect(logins).toEqual([]);
    await client.close();
  });
});

/** Admits calls, and remembers their permits. */
class Admitting extends FakeGateway {
  readonly released: OtpCall[] = [];
  readonly issued: Permit[] = [];
  readonly passed: (Permit | undefined)[] = [];
  refusal: Error | undefined;
  release: () => unknown = () => undefined;

  admit(call: OtpCall): Promise<Permit> {
    if (this.refusal !== undefined) throw this.refusal;
    const { release } = this;
    const permit = {
      release: () => {
        this.released.push(call);
        // What it returns is nobody's business.
        return release() as undefined;
      },
    };
    this.issued.push(permit);
    return Promise.resolve(permit);
  }

  override generate(text: OtpText, permit?: Permit): ReturnType<OtpGateway['generate']> {
    this.passed.push(permit);
    return super.generate(text);
  }

  override validate(typed: TypedPin, permit?: Permit): ReturnType<OtpGateway['validate']> {
    this.passed.push(permit);
    return super.validate(typed);
  }
}

describe('the admission of a gateway of the app', () => {
  it('is asked before a text and before an attempt, and each permit goes to its call and back', async () => {
    const gateway = new Admitting();
    await start(gateway);
    await visitor.login();
    expect(gateway.released).toEqual(['generate']);
    expect((await visitor.enter(gateway.lastPin(ALICE.phone))).status).toBe(200);
    expect(gateway.released).toEqual(['generate', 'validate']);
    expect(gateway.passed).toEqual(gateway.issued);
    expect(gateway.passed.every((permit, index) => permit === gateway.issued[index])).toBe(true);
  });

  it('may refuse: no text is charged, and no attempt', async () => {
    const gateway = new Admitting();
    await start(gateway);
    gateway.refusal = new GatewayBusyError('too many', 9);
    const refused = await visitor.login();
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '9']);
    expect(gateway.texts).toEqual([]);
    gateway.refusal = undefined;
    expect((await visitor.login()).body).toMatchObject({ sent: true });
    gateway.refusal = new Error('canary');
    expect(seen(await visitor.enter('000000'))).toEqual([502, { code: 'ERR_GATEWAY_RESPONSE' }]);
    expect(gateway.typed).toEqual([]);
    expect((await visitor.status()).body.pending).toMatchObject({ attemptsLeft: 5 });
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['true', true],
    ['an object without release', {}],
  ])('that is %s is none', async (_what, permit) => {
    const gateway = Object.assign(new FakeGateway(), { admit: () => Promise.resolve(permit) });
    await start(gateway as unknown as OtpGateway);
    expect((await visitor.login()).body).toMatchObject({ error: 'not-sent' });
    expect(gateway.texts).toEqual([]);
  });

  it.each<[string, () => unknown]>([
    ['throws', thrower(new Error('canary'))],
    ['rejects', () => Promise.reject(new Error('canary'))],
  ])('whose permit %s at its release changes nothing', async (_what, release) => {
    const gateway = new Admitting();
    gateway.release = release;
    await start(gateway);
    expect((await visitor.login()).body).toMatchObject({ sent: true });
    expect((await visitor.enter(gateway.lastPin(ALICE.phone))).status).toBe(200);
  });
});

describe('a gateway that writes its own messages', () => {
  const own = (): OtpGateway => Object.assign(new FakeGateway(), { writesMessages: false });

  it.each<[string, object]>([
    ['messages.template', { template: 'Code [PIN]' }],
    ['messages.autofillHost', { autofillHost: 'example.com' }],
    ['messages.perCountry.FR.template', { perCountry: { FR: { template: 'Code [PIN]' } } }],
  ])('refuses %s at start, which would never be sent', async (option, messages) => {
    await expect(start(own(), { options: { messages } })).rejects.toThrow(
      new TypeError(`createSmsOtp: ${option} is never sent: this gateway writes its own messages`),
    );
  });

  it('refuses transactions when their route is made, and other step-ups are fine', async () => {
    const { smsOtp } = await start(own(), { options: { messages: { sender: 'Bank' } } });
    expect(() => smsOtp.stepUp({ transaction: () => ({ amount: '1', payee: 'Bob' }) })).toThrow(
      new TypeError(
        'stepUp: transaction is never shown: this gateway writes its own messages ' +
          '(writesMessages: false)',
      ),
    );
    expect(() => smsOtp.stepUp({ successRedirect: '/' })).not.toThrow();
  });
});

describe('a policy', () => {
  it.each<[string, Policy<unknown>]>([
    ['number-check', numberCheck()],
    ['spend-limits', spendLimits({ fallbackPrice: '0.1', budgets: { daily: '5' } })],
  ])('%s, which needs a client, is refused at start with another gateway', async (name, policy) => {
    await expect(start(new FakeGateway(), { options: { policies: [policy] } })).rejects.toThrow(
      new TypeError(
        `createSmsOtp: policies has ${name}, which needs prices or lookups of a GatewayClient`,
      ),
    );
  });

  it('that uses the client without saying so denies', async () => {
    const policy: Policy = {
      name: 'silent',
      stage: 'send',
      check: async ({ gateway }) => {
        await gateway.otp.balance();
        return 'allow' as const;
      },
    };
    const gateway = await fake({ options: { policies: [policy] } });
    expect(seen(await visitor.login())).toEqual([403, { error: 'denied' }]);
    expect(gateway.texts).toEqual([]);
  });
});

describe('what a gateway of the app has besides', () => {
  it('is warmed up, tells its events until the end, and stays open', async () => {
    const calls: string[] = [];
    let tell: ((event: GatewayEvent) => void) | undefined;
    const gateway: OtpGateway = Object.assign(new FakeGateway(), {
      warmUp: () => Promise.resolve(void calls.push('warmUp')),
      close: () => Promise.resolve(void calls.push('close')),
      subscribe(listener: (event: GatewayEvent) => void) {
        tell = listener;
        return () => void calls.push('unsubscribe');
      },
    });
    const { smsOtp, events } = await start(gateway);
    await smsOtp.warmUp();
    const event = { type: 'gateway-call', call: 'generate', outcome: 'ok', durationMs: 1 } as const;
    tell?.(event);
    expect(events).toEqual([event]);
    await smsOtp.close();
    expect(calls).toEqual(['warmUp', 'unsubscribe']);
  });

  it.each<[string, object, RegExp]>([
    ['generate alone', { generate: () => undefined }, /gateway must have both functions, generate/],
    ['an admit that is none', { admit: true }, /gateway\.admit must be a function/],
    ['a close that is none', { close: {} }, /gateway\.close must be a function/],
    [
      'an odd writesMessages',
      { writesMessages: 'no' },
      /gateway\.writesMessages must be a boolean/,
    ],
  ])('is checked at start: %s', async (title, change, problem) => {
    const gateway = title.endsWith('alone') ? change : Object.assign(new FakeGateway(), change);
    await expect(startTestApp({ oddOptions: { gateway } })).rejects.toThrow(problem);
  });
});
