import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Passport } from 'passport';
import { createSmsOtp, type SmsOtpOptions } from 'passport-sms-otp';

/** Every string of the documents that stands where a secret does and would be accepted as one. */
function readPrintedSecrets(): readonly string[] {
  const root = join(__dirname, '../..');
  const pages = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(md|ts)$/.test(path))
    .map((path) => join(root, 'docs', path));
  const found = [...pages, join(root, 'README.md')].flatMap((path) =>
    Array.from(
      readFileSync(path, 'utf8').matchAll(/secret(?::| =) [^,'\n]*'([^'\n]{32,})'/gi),
      ([, secret = '']) => secret,
    ),
  );
  return [...new Set(found)];
}

/** Returns what configures an app with this secret. */
function make(secret: SmsOtpOptions['secret']): () => unknown {
  return () =>
    createSmsOtp({
      gateway: { baseUrl: 'https://gateway.example', variant: 'A', username: 'u', password: 'p' },
      passport: new Passport(),
      getPhone: () => null,
      loadUser: () => null,
      allowedCountries: ['US'],
      secret,
    });
}

describe('createSmsOtp, given a secret that the documents print', () => {
  afterEach(() => {
    jest.restoreAllMocks();
    process.env.NODE_ENV = 'test';
  });

  const [secret = ''] = readPrintedSecrets();
  const rotated = ['a secret of the tests, long enough to be one', secret] as const;

  it('refuses it in production', () => {
    process.env.NODE_ENV = 'production';
    const problem = 'is printed in the documentation, so it is public';
    expect(make(secret)).toThrow(`createSmsOtp: secret ${problem}`);
    expect(make(rotated)).toThrow(`createSmsOtp: secret ${problem}`);
  });

  it.each([[secret], [rotated]])('warns elsewhere', (given) => {
    const emit = jest.spyOn(process, 'emitWarning').mockReturnValue();
    make(given)();
    expect(emit.mock.calls).toEqual([
      [expect.stringContaining('openssl rand'), { code: 'SMS_OTP_PRINTED_SECRET' }],
    ]);
  });

  it('knows every one that is long enough to be accepted', () => {
    process.env.NODE_ENV = 'production';
    for (const printed of readPrintedSecrets()) expect(make(printed)).toThrow('printed');
  });
});
