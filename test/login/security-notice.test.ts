import { describe, expect, it } from '@jest/globals';
import { MESSAGE_LOCALES, securityNotice, type SmsOtpEvent } from 'passport-sms-otp';

const AT = Date.UTC(2026, 10, 27, 13, 54);

const OWNER = { userId: 'alice', address: '192.0.2.7:51234' };
const SUBJECT = { ...OWNER, purpose: 'login' } as const;
const PHONE = { ...OWNER, maskedPhone: '•• •• 23' };
const DEVICE = { ...OWNER, deviceId: 'd', label: 'Firefox, Windows' };
const VERIFIED = { type: 'verified', ...SUBJECT, method: 'sms', country: 'US' } as const;

/** What a line with a label says in every language. */
const NUMBER = '•• •• 23';
const ADDRESS = '192.0.2.7';
const ADVICE =
  'If this was you, there is nothing to do. If it was not you, change your password now and contact us.';

/** Every event that is worth an email, its English subject, and what its details say. */
const NOTICED: readonly (readonly [SmsOtpEvent, string, readonly string[]])[] = [
  [
    { type: 'phone-enrolled', ...PHONE, replaced: null },
    'A phone number was added to your account',
    [NUMBER],
  ],
  [
    { type: 'phone-enrolled', ...PHONE, replaced: '•• •• 45' },
    'A phone number of your account was replaced',
    [NUMBER, '•• •• 45'],
  ],
  [{ type: 'phone-removed', ...PHONE }, 'A phone number was removed from your account', [NUMBER]],
  [
    { type: 'recovery-codes-generated', ...OWNER, count: 10 },
    'New recovery codes for your account',
    [],
  ],
  [
    { type: 'recovery-code-used', ...OWNER, left: 0 },
    'A recovery code of your account was used',
    ['0'],
  ],
  [
    { type: 'device-revoked', ...DEVICE, reason: 'stolen' },
    'A trusted device of your account may have been copied',
    ['Firefox, Windows'],
  ],
  [
    { type: 'locked', ...SUBJECT, lockedSeconds: 1_800 },
    'Too many wrong codes for your account',
    [],
  ],
  [{ type: 'disabled', ...SUBJECT }, 'Codes are turned off for your account', []],
  [{ ...VERIFIED, isKnownBrowser: false }, 'A login to your account in a new browser', []],
];

/** Events that change nothing of importance, or of which the owner hears by another event. */
const SILENT: readonly SmsOtpEvent[] = [
  { ...VERIFIED, isKnownBrowser: true },
  VERIFIED,
  { ...VERIFIED, purpose: 'enroll', isKnownBrowser: false },
  { ...VERIFIED, purpose: 'transaction', isKnownBrowser: false },
  { type: 'default-phone-changed', ...PHONE },
  { type: 'device-trusted', ...DEVICE },
  { type: 'device-used', ...DEVICE },
  { type: 'device-revoked', ...DEVICE, reason: 'revoked' },
  { type: 'device-revoked', ...DEVICE, reason: 'changed' },
  { type: 'login-ended', userId: 'alice', loginIds: [], reason: 'logout' },
  { type: 'rejected', ...SUBJECT, reason: 'wrong-code' },
  { type: 'guessing-slowly', ...SUBJECT, failures: 60 },
  { type: 'gateway-failing', retryAfterSeconds: 5 },
];

describe('securityNotice', () => {
  it.each(NOTICED)('%j becomes an email', (event, subject, details) => {
    const notice = securityNotice(event, { at: AT });
    expect(notice?.subject).toBe(subject);
    const [happened = '', lines = '', advice, ...rest] = notice?.text.split('\n\n') ?? [];
    expect(happened).toMatch(/^[A-Z][^:]+\.$/);
    expect(lines.split('\n').map((line) => line.replace(/^[A-Z][\w ]+: /, ''))).toEqual([
      ...details,
      expect.stringMatching(/^November 27, 2026 at 1:54:00\sPM UTC$/),
      ADDRESS,
    ]);
    expect(advice).toBe(event.type === 'device-revoked' ? undefined : ADVICE);
    expect(rest).toEqual([]);
  });

  it.each(SILENT)('%j is none', (event) => {
    expect(securityNotice(event)).toBeNull();
  });

  it.each([{ type: 'of-a-later-release' }, { type: 'toString' }, {}])(
    'an event that it does not know is none: %j',
    (event) => {
      expect(securityNotice(event as SmsOtpEvent)).toBeNull();
    },
  );

  it('is a login also where a step-up came first', () => {
    const event: SmsOtpEvent = { ...VERIFIED, purpose: 'step-up', isKnownBrowser: false };
    expect(securityNotice(event)?.subject).toBe('A login to your account in a new browser');
  });

  it.each(MESSAGE_LOCALES)('is written in %s: sentences, and nothing left open', (locale) => {
    const notices = NOTICED.map(([event]) => securityNotice(event, { locale, at: AT }));
    const texts = notices.map((notice) => notice?.text ?? '');
    for (const text of texts) {
      expect(text).not.toMatch(/[{}<>]|undefined|\bnull\b/);
      const paragraphs = text.split('\n\n');
      const sentences = paragraphs.filter((_lines, index) => index !== 1);
      expect(sentences.filter((sentence) => !/[.。।]$/u.test(sentence))).toEqual([]);
      expect(paragraphs[1]).toMatch(/192\.0\.2\.7$/);
    }
    const subjects = notices.map((notice) => notice?.subject ?? '');
    expect(new Set(subjects).size).toBe(NOTICED.length);
    expect(new Set(texts).size).toBe(NOTICED.length);
    expect(subjects.filter((subject) => /[.。।{}\n]|^.{71}/u.test(subject))).toEqual([]);
  });

  it('is written in sixteen languages, each its own', () => {
    const [[event]] = NOTICED as [(typeof NOTICED)[0]];
    const notices = MESSAGE_LOCALES.map((locale) => securityNotice(event, { locale, at: AT }));
    expect(new Set(notices.map((notice) => notice?.subject)).size).toBe(16);
    expect(new Set(notices.map((notice) => notice?.text.split('\n\n').at(-1))).size).toBe(16);
  });

  it.each([
    ['de-AT', 'Zu Ihrem Konto wurde eine Telefonnummer hinzugefügt'],
    ['xx', 'A phone number was added to your account'],
    [false, 'A phone number was added to your account'],
  ] as const)('chooses the language by the tag %p', (locale, subject) => {
    const event: SmsOtpEvent = { type: 'phone-enrolled', ...PHONE, replaced: null };
    expect(securityNotice(event, { locale })?.subject).toBe(subject);
  });

  it.each([
    ['Harbour', 'Harbour – A login to your account in a new browser'],
    [
      'Har\r\nBcc: all@example.com',
      'Har Bcc: allexample. com – A login to your account in a new browser',
    ],
    ['\n', 'A login to your account in a new browser'],
  ])('names the app %j in the subject, on one line', (appName, subject) => {
    const event: SmsOtpEvent = { ...VERIFIED, isKnownBrowser: false };
    expect(securityNotice(event, { appName })?.subject).toBe(subject);
  });

  it.each([undefined, 'unknown', '<b>192.0.2.7</b>', '192.0.2.7\n\nhttps://evil.example'])(
    'has no line for the address %j, which is none',
    (address) => {
      const event: SmsOtpEvent = { ...VERIFIED, address, isKnownBrowser: false };
      expect(securityNotice(event)?.text).not.toMatch(/address|evil|<b>/i);
    },
  );

  it('has no line for a device without a label', () => {
    const event: SmsOtpEvent = { type: 'device-revoked', ...DEVICE, label: '', reason: 'stolen' };
    expect(securityNotice(event)?.text).not.toMatch(/^Device:/m);
  });

  it('says of a lock how long it lasts', () => {
    const event: SmsOtpEvent = { type: 'locked', ...SUBJECT, lockedSeconds: 86_400 };
    expect(securityNotice(event)?.text).toMatch(/account\. You can try again in 24 hours\.\n/);
  });

  it('dates the event with the time of the call unless `at` says another', () => {
    const year = String(new Date().getUTCFullYear());
    expect(securityNotice({ ...VERIFIED, isKnownBrowser: false })?.text).toContain(year);
  });
});
