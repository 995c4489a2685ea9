import { describe, expect, it } from '@jest/globals';
import { Passport } from 'passport';
import { createSmsOtp, type SmsOtpOptions } from 'passport-sms-otp';
import { fillText } from '../../src/messages/default-message';
import { measureTemplate } from '../../src/protocol/message-length';
import { visit } from '../support/visit';
import { useOwnApps } from '../support/use-app';

const apps = useOwnApps();

const create = (options: Partial<SmsOtpOptions>) => (): unknown =>
  createSmsOtp({
    gateway: { baseUrl: 'http://127.0.0.1:9', variant: 'A', username: 'u', password: 'p' },
    passport: new Passport(),
    allowedCountries: 'any',
    getPhone: () => null,
    secret: 'a secret of the tests, long enough to be one',
    loadUser: () => null,
    ...options,
  });

/** The last line of a message as the specification of origin-bound codes parses it. */
function readAutofill(text: string): { host: string; code: string } | null {
  const lastLine = text.replace(/\r\n?/g, '\n').split('\n').at(-1) ?? '';
  const match = /^@(?<host>\S+) #(?<code>\S+)(?: .*)?$/.exec(lastLine);
  return match === null ? null : { host: match.groups?.host ?? '', code: match.groups?.code ?? '' };
}

/** Chrome's parser is not anchored: the first match anywhere in the text counts. */
function readAsChrome(text: string): { host: string; code: string } | null {
  const match = /(?:^|\s)@(?<host>[a-zA-Z0-9.-]+) #(?<code>[^#\s]+)/.exec(text);
  return match === null ? null : { host: match.groups?.host ?? '', code: match.groups?.code ?? '' };
}

describe('the default message', () => {
  it.each([
    [{}, 'login', '[PIN] is your sign-in code. It expires in 5 min. Never share it.'],
    [
      { appName: 'Example' },
      'login',
      'Example: [PIN] is your sign-in code. It expires in 5 min. Never share it.',
    ],
    [
      { appName: 'Example' },
      'step-up',
      'Example: [PIN] is your confirmation code. It expires in 5 min. Never share it.',
    ],
    [
      { autofillHost: 'example.com' },
      'login',
      'Your sign-in code is on the last line. It expires in 5 min. Never share it.\n@example.com #[PIN]',
    ],
    [
      { appName: 'Example', autofillHost: 'login.example.co.uk' },
      'step-up',
      'Example confirmation code is on the last line. It expires in 5 min. Never share it.\n@login.example.co.uk #[PIN]',
    ],
  ] as const)('the default message of %j for %s is a complete sentence', (parts, purpose, text) => {
    expect(fillText({ ...parts, validitySeconds: 300 }, purpose)).toBe(text);
  });

  it.each([
    [120, '2 min'],
    [179, '2 min'],
    [300, '5 min'],
    [600, '10 min'],
  ])('the default message of a code that lives %d s says %s', (validitySeconds, minutes) => {
    expect(fillText({ validitySeconds }, 'login')).toContain(`in ${minutes}.`);
  });

  it.each(['login', 'step-up'] as const)(
    'the default message fits one text message with ten digits and the longest name for %s',
    (purpose) => {
      const appName = 'W'.repeat(30);
      for (const autofillHost of [undefined, `login.${'a'.repeat(25)}.example`]) {
        const text = fillText({ appName, autofillHost, validitySeconds: 600 }, purpose);
        expect(measureTemplate(text, 10)).toMatchObject({ problem: null, encoding: 'gsm-7' });
      }
    },
  );

  it.each(['A', 'B'] as const)(
    'the default message arrives with an autofill line that both parsers read in variant %s',
    async (variant) => {
      const options = { appName: 'Example', messages: { autofillHost: 'login.example.com' } };
      const test = await apps.start({ variant, options, simulator: { pinDigits: 10 } });
      const visitor = visit(test);
      await visitor.login();
      const text = test.sim.outbox.at(-1)?.text ?? '';
      const expected = { host: 'login.example.com', code: test.code() };
      expect([readAutofill(text), readAsChrome(text)]).toEqual([expected, expected]);
      expect((await visitor.enterRight()).status).toBe(200);
    },
  );

  it('the default message of a late resend states the shorter life of its code', async () => {
    const test = await apps.start();
    const visitor = visit(test);
    await visitor.login();
    test.clock.advanceSeconds(470);
    await visitor.resend();
    expect(test.sim.outbox.map(({ text }) => /in \d+ min/.exec(text)?.[0])).toEqual([
      'in 5 min',
      'in 2 min',
    ]);
  });
});

describe('appName', () => {
  it.each([['Example'], ['A'], ['Crédit Ünion & Søn'], ['x'.repeat(30)], ["Bob's, Inc."]])(
    'appName may be %p',
    (appName) => {
      expect(create({ appName })).not.toThrow();
      expect(create({ appName, messages: { autofillHost: 'example.com' } })).not.toThrow();
    },
  );

  it.each([
    ['empty', ''],
    ['31 characters', 'x'.repeat(31)],
    ['a line feed', 'Exam\nple'],
    ['a carriage return', 'Exam\rple'],
    ['a line separator', 'Exam\u2028ple'],
    ['a null character', 'Exam\u0000ple'],
    ['an @', 'Example @evil.test'],
    ['a #', 'Example #1'],
    ['a placeholder', '[PIN]'],
    ['a bracket', 'Example]'],
    ['a lone surrogate', 'Exam\ud800ple'],
    ['a number', 7],
    ['letters that halve the message', '日本の例'],
  ])('appName may not be or contain %s', (_what, appName) => {
    expect(create({ appName: appName as string })).toThrow(TypeError);
    expect(create({ appName: appName as string })).toThrow(/appName/);
  });
});

describe('autofillHost', () => {
  it.each([
    ['example.com'],
    ['localhost'],
    ['xn--bcher-kva.example'],
    ['a.b.c.d.example'],
    ['1.example'],
  ])('messages.autofillHost may be %p', (autofillHost) => {
    expect(create({ messages: { autofillHost } })).not.toThrow();
  });

  it.each([
    [''],
    ['Example.com'],
    ['https://example.com'],
    ['example.com/login'],
    ['example.com:443'],
    ['user@example.com'],
    ['example.com '],
    ['example.com\n@evil.test'],
    ['example..com'],
    ['.example.com'],
    ['example.com.'],
    ['-example.com'],
    ['exam_ple.com'],
    ['bücher.example'],
    ['127.0.0.1'],
    ['[::1]'],
    [`${'a'.repeat(64)}.com`],
    [`${'a.'.repeat(130)}com`],
    [`${'a.'.repeat(60)}com`],
  ])('messages.autofillHost may not be %p', (autofillHost) => {
    expect(create({ messages: { autofillHost } })).toThrow(/autofillHost/);
  });

  it('messages.autofillHost is refused beside a template, which has a last line of its own', () => {
    expect(create({ messages: { autofillHost: 'example.com', template: 'Code [PIN]' } })).toThrow(
      /autofillHost/,
    );
  });
});
