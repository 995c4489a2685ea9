import { describe, expect, it } from '@jest/globals';
import { Passport } from 'passport';
import {
  createSmsOtp,
  measureMessages,
  memoryStore,
  type MessageContext,
  type SmsOtpOptions,
} from 'passport-sms-otp';
import { GatewayClient } from 'passport-sms-otp/client';
import { smsGateway } from 'passport-sms-otp/sms-gateway';
import { ALICE, startTestApp } from '../support/test-app';
import { visit } from '../support/visit';
import { useOwnApps } from '../support/use-app';

const ACCOUNT = {
  baseUrl: 'http://127.0.0.1:9',
  variant: 'A',
  username: 'u',
  password: 'p',
} as const;
const OPTIONS: SmsOtpOptions = {
  gateway: ACCOUNT,
  allowedCountries: 'any',
  getPhone: () => null,
  secret: 'a secret of the tests, long enough to be one',
  loadUser: () => null,
};

const create = (options: Partial<SmsOtpOptions>) => (): unknown =>
  createSmsOtp({ ...OPTIONS, passport: new Passport(), ...options });

const BAD: readonly (readonly [string, unknown, RegExp])[] = [
  ['no placeholder', 'Your code', /template must contain \[PIN\] exactly once \(found 0\)/],
  ['one in lower case', 'Your code [pin]', /exactly once \(found 0\)/],
  ['two placeholders', '[PIN] [PIN]', /exactly once \(found 2\)/],
  [
    'too many septets',
    `${'A'.repeat(151)}[PIN]`,
    /template is too long for one text message: 161 of 160/,
  ],
  ['brackets that count twice', `${'['.repeat(77)}[PIN]`, /too long/],
  [
    'too many units',
    `${'あ'.repeat(61)}[PIN]`,
    /too long for one text message: 71 of 70 \(ucs-2\)/,
  ],
  [
    'one curly quote in a long text',
    `It\u2019s ${'A'.repeat(80)} [PIN]`,
    /\u2019 cannot be sent as GSM 7-bit/,
  ],
  ['a carriage return', 'Your code\r\n[PIN]', /control characters/],
  ['a tab', 'Your code\t[PIN]', /control characters/],
  ['a lone surrogate', 'Your code \ud800 [PIN]', /control characters/],
];

describe('a template', () => {
  it.each(BAD)('a template with %s is refused by createSmsOtp', (_what, template, problem) => {
    expect(create({ messages: { template: template as string } })).toThrow(TypeError);
    expect(create({ messages: { template: template as string } })).toThrow(problem);
  });

  it.each([[7], [null], [['[PIN]']], [{ login: '[PIN]' }]])(
    'messages.template may not be %j',
    (message) => {
      expect(create({ messages: { template: message as unknown as string } })).toThrow(
        /messages\.template must be a string or a function/,
      );
    },
  );

  it.each([
    ['the longest for ten digits', `${'A'.repeat(150)}[PIN]`, 10],
    ['the longest for six digits', `${'A'.repeat(153)}[PIN]`, 6],
    ['the longest in UCS-2', `${'あ'.repeat(60)}[PIN]`, 10],
    ['two lines', 'Your code\n@example.com #[PIN]', 10],
  ])('a template may be %s', (_what, template, maxCodeDigits) => {
    const gateway = { ...ACCOUNT, maxCodeDigits };
    expect(create({ messages: { template }, gateway })).not.toThrow();
  });
});

describe('a client whose messages may need a second segment', () => {
  const generous = { ...ACCOUNT, allowSecondSegment: true };
  const longest = `[PIN]${'€'.repeat(155)}`;

  it('may have such templates, given as options or as a client, and none of more characters', async () => {
    const client = new GatewayClient(generous);
    for (const gateway of [generous, client]) {
      expect(create({ gateway, messages: { template: longest } })).not.toThrow();
      expect(create({ gateway, messages: { template: `${longest}x` } })).toThrow('161 of 160');
      const options = { ...OPTIONS, gateway, messages: { template: longest } };
      expect(measureMessages(options)[0]).toMatchObject({ used: 160, limit: 160 });
    }
    expect(create({ messages: { template: longest } })).toThrow('too long');
    await client.close();
  });

  it('sends them at a login, from a function too', async () => {
    const test = await startTestApp({
      simulator: { readings: { measuredIn: 'characters' } },
      gateway: { allowSecondSegment: true, maxCodeDigits: 10 },
      options: { messages: { template: () => `[PIN]${'€'.repeat(154)}` } },
    });
    expect((await visit(test, ALICE).login()).status).toBe(200);
    expect(test.sim.outbox[0]?.text).toContain('€'.repeat(154));
    await test.close();
  });
});

const unused = (): never => {
  throw new Error('called');
};

describe('the longest code', () => {
  const own = { generate: unused, validate: unused };

  it.each([
    ['a client', (digits: object) => new GatewayClient({ ...ACCOUNT, ...digits })],
    ['options of a client', (digits: object) => ({ ...ACCOUNT, ...digits })],
    ['a gateway of its own', (digits: object) => ({ ...own, ...digits })],
  ])('is known by the gateway, and messages are measured with it: %s', (_kind, make) => {
    const messages = { template: `${'A'.repeat(153)}[PIN]` };
    const short = { ...OPTIONS, gateway: make({ maxCodeDigits: 6 }), messages };
    const usual = { ...OPTIONS, gateway: make({}), messages };
    expect([short, usual].map((options) => measureMessages(options)[0]?.used)).toEqual([159, 163]);
    expect(create(short)).not.toThrow();
    expect(create(usual)).toThrow('163 of 160');
  });

  it('of smsGateway has its digits', () => {
    const store = memoryStore();
    const gateway = smsGateway({ sendSms: unused, store, secret: OPTIONS.secret, digits: 6 });
    expect(gateway.maxCodeDigits).toBe(6);
  });

  it.each([3, 11, 6.5, '6', null])('may not be %j', (maxCodeDigits) => {
    const problem = 'createSmsOtp: gateway.maxCodeDigits must be a whole number from 4 to 10';
    for (const gateway of [
      { ...ACCOUNT, maxCodeDigits },
      { generate: unused, validate: unused, maxCodeDigits },
    ]) {
      const options = { ...OPTIONS, gateway: gateway as never };
      expect(create(options)).toThrow(problem);
      expect(() => measureMessages(options)).toThrow(problem);
    }
  });

  it('of four digits is shorter than its placeholder: a default text of 161 characters is refused at start', () => {
    const problems: string[] = [];
    for (let length = 1; length <= 120; length += 1) {
      const autofillHost = `${'a'.repeat(Math.ceil(length / 2))}.${'b'.repeat(Math.ceil((length + 1) / 2))}.example`;
      const gateway = { ...ACCOUNT, maxCodeDigits: 4 };
      const options = { messages: { autofillHost, locales: ['en'] as const }, gateway };
      const longest = Math.max(
        ...measureMessages({ ...OPTIONS, ...options }).map(({ used }) => used),
      );
      let isRefused = false;
      try {
        create(options)();
      } catch {
        isRefused = true;
      }
      if (isRefused !== longest > 160) problems.push(`${longest} characters`);
    }
    expect(problems).toEqual([]);
  });
});

describe('a template function', () => {
  const test = useOwnApps();
  it('a template function is called with user, locale and purpose, and may return a promise', async () => {
    const calls: MessageContext[] = [];
    const message = (context: MessageContext): Promise<string> => {
      calls.push(context);
      return Promise.resolve(context.locale === 'de-AT' ? 'Ihr Code: [PIN]' : 'Your code: [PIN]');
    };
    const getLocale: SmsOtpOptions['getLocale'] = (_user, req) =>
      Promise.resolve(req.get('accept-language'));
    await test.start({ options: { messages: { template: message }, getLocale } });
    const visitor = visit(test, ALICE, { 'Accept-Language': 'de-AT' });
    await visitor.login();
    await visitor.enterRight();
    await visitor.stepUp();
    expect(test.sim.outbox.map(({ text }) => text)).toEqual([
      expect.stringMatching(/^Ihr Code: \d{6}$/),
      expect.stringMatching(/^Ihr Code: \d{6}$/),
    ]);
    expect(calls).toMatchObject([
      { user: ALICE, locale: 'de-AT', purpose: 'login' },
      { user: ALICE, locale: 'de-AT', purpose: 'step-up' },
    ]);
  });

  it('a template function is called without a locale when there is no getLocale', async () => {
    const calls: unknown[] = [];
    const message = ({ locale }: MessageContext): string => {
      calls.push(locale);
      return '[PIN]';
    };
    await test.start({ options: { messages: { template: message } } });
    await visit(test).login();
    expect(calls).toEqual([undefined]);
  });

  it.each([
    ...BAD,
    ['nothing', undefined, /template must be a string/],
    ['a list', ['[PIN]'], /template must be a string/],
  ] as const)(
    'a template function that returns %s fails before anything is charged or sent',
    async (_what, given, problem) => {
      let text: unknown = given;
      await test.start({ options: { messages: { template: () => text as string } } });
      const visitor = visit(test);
      expect((await visitor.login()).status).toBe(500);
      expect(test.errors).toEqual([expect.any(TypeError)]);
      expect(test.errors[0]).toHaveProperty('message', expect.stringMatching(problem));
      expect(test.sim.stats().calls).toMatchObject({ auth: 0, generate: 0 });
      text = '[PIN]';
      expect((await visitor.login()).body).toMatchObject({ resendAt: test.clock.now() + 30_000 });
    },
  );
});
