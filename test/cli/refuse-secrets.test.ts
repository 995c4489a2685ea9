import { describe, expect, it } from '@jest/globals';
import type { Command } from '../../src/cli/command';
import { WrongUsage } from '../../src/cli/failures';
import { readArguments, refuseSecrets } from '../../src/cli/run';

const refused = new WrongUsage(
  'A secret does not belong on the command line, where other users can see it.',
  '',
);

describe('a word on the command line is refused', () => {
  it.each([
    ...['user', 'username', 'pass', 'password', 'passphrase', 'secret', 'token', 'access-token'],
    ...['apikey', 'api-key', 'key', 'pin', 'code', 'otp'],
  ])(
    'that is the option %s, with one dash or two, alone or with a value, in capitals too',
    (name) => {
      for (const word of [`--${name}`, `-${name}`, `--${name}=x`, `--${name.toUpperCase()}=`]) {
        expect(() => refuseSecrets(['send', word], [])).toThrow(refused);
      }
    },
  );

  it.each([
    'redis://user:hunter2@host',
    'redis://:hunter2@host',
    'postgres://user:@host/db',
    '--prefix=redis://user:hunter2@host',
    'see https://user:hunter2@host',
  ])('that has an address with a password in it: %s', (word) => {
    expect(() => refuseSecrets([word], [])).toThrow(refused);
  });

  it.each(['eyJhbGci.eyJzdWIi.c2ln', 'eyJhbGci.eyJzdWIi.', '--ca=eyJh-b_i.e-y_J.s-i_g'])(
    'that is a token of three parts: %s',
    (word) => {
      expect(() => refuseSecrets([word], [])).toThrow(refused);
    },
  );

  it('that has a secret of the environment in it, wherever it stands', () => {
    for (const word of ['word', 'pass-word', '--message=word!', 'swords']) {
      expect(() => refuseSecrets(['send', word, '+12025550123'], ['other', 'word'])).toThrow(
        refused,
      );
    }
  });

  it('with a word on where it belongs, and without repeating it', () => {
    const advice =
      'Use SMS_OTP_USERNAME, SMS_OTP_PASSWORD, REDIS_URL, DATABASE_URL; or standard input for --password-stdin and codes.';
    expect(() => refuseSecrets(['hunter2'], ['hunter2'])).toThrow(
      expect.objectContaining({ advice }),
    );
  });
});

describe('a word on the command line is taken', () => {
  it.each([
    ...[
      '--pins',
      '--keyring',
      '--codec=x',
      '--pin-digits',
      '--max-pin',
      'password',
      '---pin',
      '--users',
    ],
    ...['--password-stdin', 'x--password', '--api--key', '--to ken'],
  ])('that only looks like such an option: %s', (word) => {
    expect(() => refuseSecrets([word], [])).not.toThrow();
  });

  it.each([
    ...[
      'redis://host:6379',
      'redis://host:6379/user@host',
      'https://user@host',
      'https:/user:x@host',
    ],
    ...['https://host/a:b@c', 'https://user: x@host', 'https://us er:x@host', 'user:x@host'],
  ])('that is an address without a password: %s', (word) => {
    expect(() => refuseSecrets([word], [])).not.toThrow();
  });

  it.each([
    'eyJ.eyJ.',
    'eyJhbGci.eyJzdWIi',
    'eyJhbGci..c2ln',
    'xeyJhbGci.eyJzdWIi.c2ln',
    'eyJa.b.c.d',
    'a.b.c',
  ])('that is no token: %s', (word) => {
    expect(() => refuseSecrets([word], [])).not.toThrow();
  });

  it('that has no secret of the environment in it, or one too short to be told from other words', () => {
    expect(() => refuseSecrets(['send', 'wor', 'abc'], ['word', 'abc', ''])).not.toThrow();
    expect(() => refuseSecrets([], ['word'])).not.toThrow();
  });
});

describe('an unknown option', () => {
  const command: Command = {
    name: 'send',
    summary: '',
    positionals: [],
    options: {},
    notes: [],
    run: () => Promise.resolve(0),
  };

  it.each(['--jsn', '--dry-run', '--abcdefghijkl', '--abcdefghijkl-abcdefghijkl'])(
    'is named when it looks like one: %s',
    (word) => {
      const refusal = new WrongUsage(`${word} is not an option of send`);
      expect(() => readArguments(command, [word], [])).toThrow(refusal);
    },
  );

  it.each([
    ...[
      '--abcdefghijklm',
      '--a-abcdefghijklm',
      '--a-b-c',
      '--a-',
      '--Hunter',
      '--hunter2',
      '--2hunter',
    ],
    ...['--a-2', '--a_b', '--hunter.', '--xa-b2'],
  ])('is not repeated when it might be a secret: %s', (word) => {
    const refusal = new WrongUsage('An argument is not an option of send');
    expect(() => readArguments(command, [word], [])).toThrow(refusal);
  });
});
