import { describe, expect, it } from '@jest/globals';
import { createSmsOtp, type SmsOtpOptions } from 'passport-sms-otp';
import { readOptions } from '../../src/client/options';
import { readOptions as readSettings } from '../../src/read-options';
import { memoryPhoneBook } from '../support/memory-phone-book';
import { readMembers } from './support/interfaces';
import { readPage } from './support/pages';
import { readRows, readSection } from './support/tables';

type Options = Readonly<Record<string, unknown>>;

const page = readPage('docs/options.md');

const gateway = {
  baseUrl: 'https://gateway.example',
  variant: 'A',
  username: 'name',
  password: 'secret',
};
const login: Options = {
  gateway,
  allowedCountries: ['US'],
  getPhone: () => null,
  secret: 'a secret of the tests, long enough to be one',
  loadUser: () => null,
  // The furthest life of a pending login, and the shortest of a code: neither stands in the other's
  // way.
  pendingLoginSeconds: 900,
  codeValiditySeconds: 120,
  recoveryCodes: {},
  trustedDevices: { getPasswordVersion: () => 'one' },
  paths: {},
  logins: {},
};
const { pendingLoginSeconds: _pending, codeValiditySeconds: _validity, ...plainLogin } = login;

/** The page leaves out what all of them begin with. */
const limitRows = new Map(
  Array.from(readRows(readSection(page, '## Limits')), ([name, cells]) => [
    `limits.${name}`,
    cells,
  ]),
);

/**
 * What reads the options of one part of the page, and the options given beside the one under test.
 */
const PARTS = [
  {
    title: 'createSmsOtp',
    rows: readRows(readSection(page, '## createSmsOtp')),
    names: readMembers('src/options.ts', 'SmsOtpOptions'),
    read: readLogin,
    base: login,
    plain: plainLogin,
  },
  {
    title: 'limits',
    rows: limitRows,
    names: ['limits'],
    read: readLogin,
    base: login,
    plain: plainLogin,
  },
  {
    title: 'GatewayClient',
    rows: readRows(readSection(page, '## GatewayClient')),
    names: readMembers('src/client/options.ts', 'GatewayClientOptions'),
    read: readClient,
    base: gateway,
    plain: gateway,
  },
] as const;

function readLogin(options: Options): object {
  // Invalid options are what this test is about.
  return readSettings(options as unknown as SmsOtpOptions);
}

function readClient(options: Options): object {
  // The same.
  return readOptions(options as unknown as Parameters<typeof readOptions>[0]);
}

function throws(readIt: () => object): boolean {
  try {
    readIt();
    return false;
  } catch (error) {
    expect(error).toBeInstanceOf(TypeError);
    return true;
  }
}

/** The options with another value at a path such as `limits.total.max`. */
function withValue(options: Options, path: string, value: unknown): Options {
  const [first = '', ...rest] = path.split('.');
  if (rest.length === 0) return { ...options, [first]: value };
  return {
    ...options,
    [first]: withValue((options[first] ?? {}) as Options, rest.join('.'), value),
  };
}

function valueAt(options: object, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, name) => Reflect.get(Object(value), name), options);
}

describe.each(PARTS)('docs/options.md on $title', ({ rows, names, read, base, plain }) => {
  const cases = Array.from(rows, ([name, [standard = '', range = '']]) => ({
    name,
    standard,
    range,
  }));

  it('has every option and no other', () => {
    const top = [...new Set(cases.map(({ name }) => name.split('.')[0]))];
    expect(top.sort()).toEqual([...names].sort());
  });

  it.each(cases.filter(({ standard }) => /^`[\d'tf]/.test(standard)))(
    'says that $name is $standard by default',
    ({ name, standard }) => {
      const value: unknown = JSON.parse(standard.slice(1, -1).replaceAll("'", '"'));
      expect(valueAt(read(plain), name)).toEqual(
        valueAt(read(withValue(plain, name, value)), name),
      );
    },
  );

  it('says which have no default', () => {
    const groups = new Set(cases.map(({ name }) => name.split('.').slice(0, -1).join('.')));
    const none = cases.filter(
      ({ standard, name }) => standard === 'none' && !(name in plain) && !groups.has(name),
    );
    const values = none.map(({ name }) => [name, JSON.stringify(valueAt(read(plain), name) ?? [])]);
    expect(values).toEqual(none.map(({ name }) => [name, '[]']));
  });

  it('says which are required', () => {
    const required = cases.filter(({ standard }) => standard.startsWith('required'));
    const missed = cases.filter(({ name }) => throws(() => read(withValue(base, name, undefined))));
    expect(missed.map(({ name }) => name)).toEqual(required.map(({ name }) => name));
    expect(cases.length).toBeGreaterThan(required.length);
  });

  it.each(cases.filter(({ range }) => /^[\d,]+ to [\d,]+$/.test(range)))(
    'says that $name goes from $range',
    ({ name, range }) => {
      const [least = 0, most = 0] = range
        .split(' to ')
        .map((figure) => Number(figure.replaceAll(',', '')));
      for (const fitting of [least, most]) {
        expect(valueAt(read(withValue(base, name, fitting)), name)).toBe(fitting);
      }
      for (const invalid of [least - 1, most + 1]) {
        expect(() => read(withValue(base, name, invalid))).toThrow(name.split('.').at(-1));
      }
    },
  );
});

describe('docs/options.md on groups', () => {
  it.each([
    ['limits', Object.keys(flatten(valueAt(readLogin(plainLogin), 'limits') as object))],
    [
      'trustedDevices',
      readMembers('src/features/trusted-devices/trusted-devices.ts', 'TrustedDevicesOption'),
    ],
    ['logins', readMembers('src/features/logins/logins.ts', 'LoginsOption')],
    [
      'knownBrowsers',
      readMembers('src/features/known-browsers/known-browsers.ts', 'KnownBrowsersOption'),
    ],
    [
      'recoveryCodes',
      readMembers('src/features/recovery-codes/recovery-codes.ts', 'RecoveryCodesOption'),
    ],
    ['messages', readMembers('src/messages/options.ts', 'MessagesOption')],
  ])('has every option of %s and no other', (name, members) => {
    const shown = [...readRows(page).keys(), ...limitRows.keys()].filter((row) =>
      row.startsWith(`${name}.`),
    );
    expect(shown.sort()).toEqual(members.map((member) => `${name}.${member}`).sort());
  });
});

describe('docs/api.md on what createSmsOtp returns', () => {
  it('has every part and no other', async () => {
    const everything = {
      ...login,
      phoneBook: memoryPhoneBook(),
      factors: [{ name: 'totp', isAvailable: () => true, check: () => false }],
    };
    // Built from plain fields for the tests above.
    const smsOtp = createSmsOtp(everything as unknown as SmsOtpOptions);
    await smsOtp.close();
    const shown = readRows(readSection(readPage('docs/api.md'), '## What createSmsOtp returns'));
    expect([...shown.keys()].sort()).toEqual(Object.keys(smsOtp).sort());
  });
});

function flatten(value: object): object {
  const members = Object.entries(value).flatMap(([name, inner]: [string, object]) =>
    Object.entries(inner).map(([member, figure]: [string, unknown]) => [
      `${name}.${member}`,
      figure,
    ]),
  );
  return Object.fromEntries(members) as object;
}
