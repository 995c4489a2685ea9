import { describe, expect, it } from '@jest/globals';
import { MESSAGE_LOCALES, noticeText, REASONS } from 'passport-sms-otp';

const NOW = 1_700_000_000_000;

describe('noticeText', () => {
  it.each(MESSAGE_LOCALES)('has a sentence for every reason in %s, and none twice', (locale) => {
    const sentences = REASONS.map((reason) =>
      noticeText(reason, { locale, retryAt: NOW, now: NOW }),
    );
    expect(sentences.filter((sentence) => !/[.。।]$|0188$/u.test(sentence))).toEqual([]);
    expect(new Set(sentences).size).toBe(REASONS.length);
    expect(sentences.join()).not.toMatch(/[{}]|undefined/);
  });

  it('does not take a code for a texted one: authenticator apps and recovery codes have the same sentences', () => {
    expect(noticeText('malformed-code')).toBe(
      'That does not look like a code. Enter it exactly as you received it.',
    );
  });

  it('is written in sixteen languages, each its own', () => {
    const sentences = MESSAGE_LOCALES.map((locale) => noticeText('expired', { locale }));
    expect(new Set(sentences).size).toBe(16);
  });

  it.each(MESSAGE_LOCALES)('offers in %s no other way in, which an app may not have', (locale) => {
    const otherWay =
      /another way|andere Weise|autrement|otra forma|altro modo|outra forma|andere manier|inny sposób|başka bir yol|annat sätt|بطريقة أخرى|別の方法|其他方式|다른 방법|другим способом|और तरीके/;
    for (const reason of REASONS) expect(noticeText(reason, { locale })).not.toMatch(otherWay);
  });

  it.each<[string | false | undefined, string]>([
    ['de-AT', 'Dieser Code ist abgelaufen. Fordern Sie einen neuen an.'],
    ['en-GB', 'This code has expired. Ask for a new one.'],
    ['xx', 'This code has expired. Ask for a new one.'],
    [false, 'This code has expired. Ask for a new one.'],
    [undefined, 'This code has expired. Ask for a new one.'],
  ])('chooses the language by the tag %p', (locale, sentence) => {
    expect(noticeText('expired', { locale })).toBe(sentence);
  });

  it.each([
    [1, '1 second'],
    [29_001, '30 seconds'],
    [90_000, '90 seconds'],
    [90_001, '2 minutes'],
    [1_800_000, '30 minutes'],
    [5_400_001, '2 hours'],
    [86_400_000, '24 hours'],
  ])('says of %d ms that it takes %s', (wait, time) => {
    expect(noticeText('locked', { retryAt: NOW + wait, now: NOW })).toBe(
      `Too many wrong codes were entered for this account. You can try again in ${time}.`,
    );
  });

  it.each(['', 'wait', 'invalid-code', 'toString', undefined])(
    'refuses %p, which is no reason',
    (reason) => {
      expect(() => noticeText(reason as 'expired')).toThrow(
        new TypeError('noticeText: reason must be one of REASONS'),
      );
    },
  );

  it('says nothing where there is no notice', () => {
    expect(noticeText(null, { retryAt: NOW + 1_000, now: NOW, locale: 'de' })).toBe('');
  });

  it('says "later" where waiting is all that helps and nobody knows how long', () => {
    expect(noticeText('send-limit')).toMatch(/ Try again later\.$/);
    expect(noticeText('wrong-code')).not.toMatch(/later/);
    // The time is over.
    expect(noticeText('send-limit', { retryAt: NOW, now: NOW })).not.toMatch(/again/);
  });
});
