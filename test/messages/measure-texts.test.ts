import { describe, expect, it } from '@jest/globals';
import { Passport } from 'passport';
import { createSmsOtp } from 'passport-sms-otp';
import { MESSAGE_LOCALES } from '../../src/messages/locales';
import { measureTexts } from '../../src/messages/measure';

const create =
  ({ getLocale: choose, appName, ...messages }: Messages) =>
  (): unknown =>
    createSmsOtp({
      gateway: { baseUrl: 'http://127.0.0.1:9', variant: 'A', username: 'u', password: 'p' },
      passport: new Passport(),
      allowedCountries: 'any',
      getPhone: () => null,
      secret: 'a secret of the tests, long enough to be one',
      loadUser: () => null,
      ...(choose && { getLocale: choose }),
      appName,
      messages,
    });

/** The option `messages`, right or wrong, with `getLocale` and `appName`. */
type Messages = Readonly<Record<string, unknown>> & {
  readonly getLocale?: () => string;
  readonly appName?: string;
};

const SETTINGS = { maxCodeDigits: 10, codeValiditySeconds: 300 };
const getLocale = (): string => 'en';

describe('the report on messages', () => {
  it('the report measures every served locale for every purpose', () => {
    const report = measureTexts({ ...SETTINGS, appName: 'Example' });
    expect(report).toHaveLength(64);
    expect(new Set(report.map(({ locale }) => locale))).toEqual(new Set(MESSAGE_LOCALES));
    expect(report[0]).toEqual({
      locale: 'en',
      purpose: 'login',
      country: null,
      encoding: 'GSM-7',
      used: 78,
      limit: 160,
      forcedBy: null,
    });
    const hindi = report.find(({ locale, purpose }) => locale === 'hi' && purpose === 'enroll');
    expect(hindi).toMatchObject({
      encoding: 'UCS-2',
      used: 62,
      limit: 70,
      forcedBy: "'न' (U+0928)",
    });
  });

  it('the report begins with the default locale and leaves out locales that are not served', () => {
    const report = measureTexts({ ...SETTINGS, defaultLocale: 'fr', locales: ['en', 'fr'] });
    expect(report.map(({ locale }) => locale)).toEqual([
      ...Array(4).fill('fr'),
      ...Array(4).fill('en'),
    ]);
  });

  it('the report names the character of appName that forces UCS-2, also where the text does not fit', () => {
    const report = measureTexts({ ...SETTINGS, appName: 'Škoda', locales: [] });
    expect(report[0]).toMatchObject({
      encoding: 'UCS-2',
      used: 76,
      limit: 70,
      forcedBy: "'Š' (U+0160)",
    });
  });

  it('the report measures fixed templates and leaves functions out', () => {
    const perCountry = {
      FR: { template: () => '[PIN]' },
      IN: { template: 'Your code is [PIN] 😀' },
    };
    const report = measureTexts({ ...SETTINGS, template: 'Code [PIN]', perCountry });
    const row = {
      locale: null,
      limit: 160,
      encoding: 'GSM-7',
      used: 15,
      country: null,
      forcedBy: null,
    };
    const indian = {
      ...row,
      limit: 70,
      encoding: 'UCS-2',
      used: 26,
      country: 'IN',
      forcedBy: "'😀' (U+1F600)",
    };
    const purposes = ['login', 'step-up', 'enroll'];
    expect(report).toEqual(
      [row, indian].flatMap((each) => purposes.map((purpose) => ({ ...each, purpose }))),
    );
  });
});

describe('a message that does not fit', () => {
  it.each([
    [
      'of the default locale',
      { appName: 'W'.repeat(20), defaultLocale: 'ru' },
      /appName.*\(locale ru, purpose login\) that is too long.*: 73 of 70 \(ucs-2\).*, the first of them 'К' \(U\+041A\)$/,
    ],
    [
      'for a letter of the name',
      { appName: 'Škoda Auto' },
      /\(locale en, purpose login\) that is too long.* 81 of 70 .*'Š' \(U\+0160\)/,
    ],
    [
      'for a letter of the name beside a host',
      { appName: 'Škoda', autofillHost: 'example.com' },
      /\(locale en, purpose login\).*'Š' \(U\+0160\)/,
    ],
    [
      'of a locale that getLocale may choose',
      { appName: 'W'.repeat(20), getLocale },
      /\(locale ru, purpose login\).*\. If the app does not support this language, list those that it supports in messages\.locales$/,
    ],
    [
      'of a language that the app may not serve',
      { appName: 'Crédit Agricole', getLocale, defaultLocale: 'fr' },
      /\(locale ru, purpose step-up\).*list those that it supports in messages\.locales$/,
    ],
    [
      'for a long host',
      { appName: 'Example', autofillHost: 'accounts.sign-in.example.com', getLocale },
      /autofillHost.*\(locale ar, purpose step-up\).* 71 of 70/,
    ],
    [
      'of a country',
      { perCountry: { IN: { template: `${'A'.repeat(151)}[PIN]` } } },
      /perCountry\.IN\.template is too/,
    ],
    [
      'of a country, with no code',
      { perCountry: { IN: { template: 'x' } } },
      /perCountry\.IN\.template must contain/,
    ],
  ])('a message that does not fit is an error when it is %s', (_what, options, problem) => {
    expect(create(options)).toThrow(TypeError);
    expect(create(options)).toThrow(problem);
  });

  it.each([
    ['in a locale that cannot be chosen', { appName: 'W'.repeat(20) }],
    [
      'in a locale that is not served',
      { appName: 'W'.repeat(20), getLocale, locales: ['de', 'fr'] },
    ],
    [
      'where the app has its own template',
      { appName: 'W'.repeat(20), getLocale, template: '[PIN]' },
    ],
    [
      'where it is left out beside a host',
      { appName: 'W'.repeat(30), autofillHost: 'example.com', getLocale, locales: ['hi'] },
    ],
  ])('a message that does not fit is no error %s', (_what, options) => {
    expect(create(options)).not.toThrow();
  });
});

describe('the options of locales and countries', () => {
  it.each([
    ['defaultLocale', 'de-AT'],
    ['defaultLocale', 'EN'],
    ['defaultLocale', 7],
    ['locales', 'de'],
    ['locales', ['fi']],
    ['perCountry', []],
    ['perCountry', 'FR'],
    ['perCountry', { France: {} }],
    ['perCountry', { fr: {} }],
    ['perCountry.FR', { FR: 'sender' }],
    ['perCountry.FR.from', { FR: { from: 'x' } }],
    ['perCountry.FR.sender', { FR: { sender: 'x' } }],
    ['perCountry.FR.sender', { FR: { sender: 'Twelve chars' } }],
    ['perCountry.FR.template', { FR: { template: 7 } }],
  ])('createSmsOtp refuses messages.%s where the value is %j', (name, value) => {
    const make = create({ [name.split('.')[0] ?? '']: value });
    expect(make).toThrow(TypeError);
    expect(make).toThrow(new RegExp(`(?:^|[ :])messages\\.${name.replaceAll('.', '\\.')} ?`));
  });
});
