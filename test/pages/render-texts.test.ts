import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { MESSAGE_LOCALES } from 'passport-sms-otp';
import type { PageLocale } from '../../src/pages/page';
import { renderPage } from '../../src/pages/render';
import { createTexts, PAGE_LOCALES, type TextKey } from '../../src/pages/texts';
import { writeUnit } from '../../src/pages/duration';
import { LOOK, PAGES } from './fixtures';

const FOLDER = `${__dirname}/../../src/pages/texts`;
const SOURCES = ['views', '.'].map((folder) => `${__dirname}/../../src/pages/${folder}`);

function readTexts(locale: string): Record<string, string> {
  const texts: Record<string, string> = JSON.parse(
    readFileSync(`${FOLDER}/${locale}.json`, 'utf8'),
  );
  return texts;
}

const ENGLISH = readTexts('en');
const KEYS = Object.keys(ENGLISH) as TextKey[]; // the file that the type is made of

/** "Error: " is Spanish as well. */
const SHARED = new Set(['layout.error']);

/** Returns the placeholders of a sentence, sorted. */
function placeholdersOf(sentence: string): string[] {
  return (sentence.match(/\{\w+\}/g) ?? []).sort();
}

it('has the pages in every language of the messages', () => {
  expect(PAGE_LOCALES).toEqual(MESSAGE_LOCALES);
  expect(readdirSync(FOLDER).sort()).toEqual(PAGE_LOCALES.map((name) => `${name}.json`).sort());
});

describe.each(PAGE_LOCALES.filter((name) => name !== 'en'))('the texts of %s', (locale) => {
  const texts = readTexts(locale);

  it('have the keys of the English ones, in the same order', () => {
    expect(Object.keys(texts)).toEqual(KEYS);
  });

  it('have the same placeholders', () => {
    const differing = KEYS.filter(
      (key) =>
        String(placeholdersOf(texts[key] ?? '')) !== String(placeholdersOf(ENGLISH[key] ?? '')),
    );
    expect(differing).toEqual([]);
  });

  it('are translated, without spaces at their ends', () => {
    const untranslated = KEYS.filter((key) => texts[key] === ENGLISH[key] && !SHARED.has(key));
    expect(untranslated.filter((key) => (ENGLISH[key] ?? '').includes(' '))).toEqual([]);
    expect(KEYS.filter((key) => texts[key]?.trim() !== texts[key])).toEqual([]);
  });

  it.each(Object.entries(PAGES))('fill in every sentence of the page %s', (_name, page) => {
    const document = renderPage({ ...page, locale }, LOOK);
    expect(document).toContain(`<html lang="${locale}"`);
    expect(document).not.toMatch(/\{\w+\}|undefined/);
  });
});

it('uses every sentence', () => {
  const sources = SOURCES.flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readFileSync(`${folder}/${name}`, 'utf8')),
  ).join('\n');
  /** `code.${purpose}.title` is a pattern of keys. */
  const patterns = Array.from(
    sources.matchAll(/`([\w.-]+\.(?:\$\{[\w.]+\}[\w.]*))`/g),
    ([, key]) =>
      new RegExp(`^${(key ?? '').replaceAll('.', '\\.').replaceAll(/\$\{[^}]+\}/g, '[\\w-]+')}$`),
  );
  const isUsed = (key: string) =>
    sources.includes(`'${key}'`) || patterns.some((pattern) => pattern.test(key));
  expect(KEYS.filter((key) => !isUsed(key))).toEqual([]);
});

describe('sentences of the app', () => {
  it('take the place of ours, one by one', () => {
    const texts = createTexts('de', { 'action.confirm': 'Los' });
    expect(texts('action.confirm')).toBe('Los');
    expect(texts('action.cancel')).toBe('Abbrechen');
  });

  it('are read once: a value that looks like a placeholder stays', () => {
    const texts = createTexts('en', { 'ways.named': '{name} {other}' });
    expect(texts('ways.named', { name: '{other}', other: '$&' })).toBe('{other} $&');
  });

  it('leave ours where they are undefined', () => {
    const own: Partial<Record<TextKey, string>> = JSON.parse('{}');
    expect(createTexts('en', own)('action.confirm')).toBe('Confirm');
  });
});

it.each<[PageLocale, string, string]>([
  ['de', '1 Tag', '30 Tage'],
  ['pl', '1 dzień', '30 dni'],
  ['ru', '1 день', '30 дней'],
  ['ar', 'يوم', '30 يومًا'],
])('has the plural of %s', (locale, one, many) => {
  expect(writeUnit(locale, 1, 'day')).toBe(one);
  expect(writeUnit(locale, 30, 'day')).toBe(many);
});
