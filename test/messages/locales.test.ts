import { describe, expect, it } from '@jest/globals';
import {
  defaultMessage,
  fillText,
  PURPOSES,
  transactionMessage,
} from '../../src/messages/default-message';
import {
  chooseLocale,
  LOCALE_TEXTS,
  MESSAGE_LOCALES,
  type MessageLocale,
} from '../../src/messages/locales';
import { measureTemplate } from '../../src/protocol/message-length';
import { readAsChrome, readLastLine } from './parsers';

const TWO_BYTES: readonly MessageLocale[] = ['ar', 'ja', 'zh-Hans', 'ko', 'ru', 'hi'];
const SENTENCES = ['login', 'step-up', 'enroll'] as const;

/**
 * The room that docs/messages.md promises, in characters: for the name alone, name and host
 * together, the host of any name.
 */
const ROOM = {
  'gsm-7': { name: 30, both: 46, host: 16 },
  'ucs-2': { name: 13, both: 21, host: 23 },
} as const;

describe.each(MESSAGE_LOCALES)('the texts in %s', (locale) => {
  const isTwoBytes = TWO_BYTES.includes(locale);
  const encoding = isTwoBytes ? 'ucs-2' : 'gsm-7';
  const room = ROOM[encoding];
  const fill = (
    parts: { appName?: string; autofillHost?: string },
    purpose: (typeof PURPOSES)[number],
  ): string => defaultMessage({ ...parts, locale, validitySeconds: 600 }, purpose, 10);

  it.each(PURPOSES)(
    'the text for %s fits one message with ten digits and the documented room',
    (purpose) => {
      const name = (length: number): string => 'W'.repeat(length);
      for (const parts of [
        {},
        { appName: name(room.name) },
        { appName: name(8), autofillHost: 'w'.repeat(room.both - 8) },
        { appName: name(30), autofillHost: 'w'.repeat(room.host) },
      ]) {
        expect(measureTemplate(fill(parts, purpose), 10)).toMatchObject({
          problem: null,
          encoding,
        });
      }
    },
  );

  it.each(SENTENCES)('the text for %s names the app beside the host where both fit', (purpose) => {
    const appName = 'W'.repeat(8);
    expect(fill({ appName, autofillHost: 'w'.repeat(room.both - 8) }, purpose)).toContain(appName);
    const tight = fill({ appName, autofillHost: 'w'.repeat(40) }, purpose);
    expect(tight.includes(appName)).toBe(!isTwoBytes);
  });

  it.each(SENTENCES)('the text for %s names the app and the minutes', (purpose) => {
    expect(fill({ appName: 'Example' }, purpose)).toMatch(/Example.*(?:10.*\[PIN\]|\[PIN\].*10)/);
    const bound = fill({ appName: 'Example', autofillHost: 'example.com' }, purpose);
    expect(bound).toContain('Example');
    expect(bound.includes(' 10 ') || isTwoBytes).toBe(true);
  });

  it('every bound text ends with the line that both parsers read', () => {
    for (const purpose of PURPOSES) {
      const text = fill({ appName: 'Example', autofillHost: 'example.com' }, purpose).replace(
        '[PIN]',
        '0123456789',
      );
      const expected = { host: 'example.com', code: '0123456789' };
      expect([readLastLine(text), readAsChrome(text)]).toEqual([expected, expected]);
    }
  });

  it('the texts differ by purpose, and every variable is filled in', () => {
    const { plain, bound } = LOCALE_TEXTS[locale];
    for (const texts of [plain, bound]) expect(new Set(Object.values(texts)).size).toBe(5);
    for (const purpose of PURPOSES) expect(fill({}, purpose)).not.toMatch(/[{}]/);
  });

  it('the texts of a transaction, short or long, show amount and payee, and the code once', () => {
    const transaction = { amount: '49.90 EUR', payee: 'Fresh Flowers' };
    for (const autofillHost of [undefined, 'example.com']) {
      for (const kind of ['transaction', 'short-transaction'] as const) {
        const text = fillText({ autofillHost, locale, validitySeconds: 300 }, kind, transaction);
        expect(text).toMatch(/49\.90 EUR.*Fresh Flowers|Fresh Flowers.*49\.90 EUR/);
        expect(text.split('[PIN]')).toHaveLength(2);
      }
    }
  });
});

it.each(['plain', 'bound'] as const)(
  'every %s text in Arabic begins with an Arabic letter: phones lay it out by that',
  (form) => {
    const transaction = { amount: '49.90 EUR', payee: 'Fresh Flowers' };
    const autofillHost = form === 'bound' ? 'example.com' : undefined;
    for (const kind of [...PURPOSES, 'short-transaction'] as const) {
      for (const appName of ['Example', undefined]) {
        const text = fillText(
          { appName, autofillHost, locale: 'ar', validitySeconds: 300 },
          kind,
          transaction,
        );
        expect(text).toMatch(/^\p{Script=Arabic}/u);
      }
    }
  },
);

it.each(['ja', 'ar'] as const)(
  'the text of a short transfer says in %s never to share the code, also with a last line',
  (locale) => {
    const transaction = { amount: '5.00', payee: 'Ann' };
    const text = transactionMessage(
      { autofillHost: 'a.example', locale, validitySeconds: 300 },
      transaction,
      6,
    );
    expect(text).toContain(locale === 'ja' ? '教えないで' : 'لا تشاركه');
  },
);

describe('the locale of a text', () => {
  it.each([
    ['de', 'de'],
    ['de-AT', 'de'],
    ['DE_at', 'de'],
    ['pt-BR', 'pt'],
    ['zh', 'zh-Hans'],
    ['zh-CN', 'zh-Hans'],
    ['zh_sg', 'zh-Hans'],
    ['ZH-HANS-HK', 'zh-Hans'],
    ['ar-EG-u-nu-latn', 'ar'],
    ['en-GB', 'en'],
    ['hi-IN', 'hi'],
  ])('the locale tag %s chooses %s', (tag, locale) => {
    expect(chooseLocale(tag, ['fr', ...MESSAGE_LOCALES])).toBe(locale);
  });

  it.each([
    ['traditional Chinese', 'zh-TW'],
    ['traditional Chinese in Hong Kong', 'zh-HK'],
    ['traditional script', 'zh-Hant'],
    ['Hindi in Latin letters', 'hi-Latn'],
    ['a language without texts', 'fi'],
    ['no locale', undefined],
    ['nothing', ''],
    ['a wildcard', '*'],
    ['a list of languages', 'de-AT,de;q=0.9'],
    ['rubbish', 'de\u0000'],
    ['a name of every object', 'constructor'],
    ['a megabyte', 'de-'.repeat(350_000)],
    ['a number', 7],
    ['an object', { toString: () => 'de' }],
  ])('a locale tag that is %s chooses the default', (_what, tag) => {
    expect(chooseLocale(tag as string, ['fr', ...MESSAGE_LOCALES])).toBe('fr');
  });

  it.each(MESSAGE_LOCALES)('%s is chosen by its own tag', (locale) => {
    const other = locale === 'en' ? 'fr' : 'en';
    expect(chooseLocale(locale, [other, ...MESSAGE_LOCALES])).toBe(locale);
  });

  it('a locale that is not served is never chosen', () => {
    expect(chooseLocale('de', ['en', 'fr'])).toBe('en');
  });
});
