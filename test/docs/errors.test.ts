import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { REASONS } from 'passport-sms-otp';
import * as errors from '../../src/errors';
import { REPLIES } from '../../src/middleware/replies';
import { readPage, ROOT } from './support/pages';
import { readRows, readSection } from './support/tables';

const page = readPage('docs/troubleshooting.md');
const codes = readCodes(page.text);
const reasons = readRows(readSection(page, '## Reasons'));

/** One error of each class and code. */
const THROWN: readonly errors.AnySmsOtpError[] = [
  new errors.GatewayUnreachableError('generate', false),
  new errors.GatewayTimeoutError('generate', 1, true),
  new errors.GatewayResponseError('generate', 200, 'x'),
  new errors.GatewayRejectedError('generate', { gatewayCode: 2104, httpStatus: 400 }),
  new errors.GatewayBusyError('x', 1),
  new errors.GatewayAbortedError('generate', true),
  new errors.StoreError('claim'),
  new errors.SessionError('ERR_NO_SESSION', 'x'),
  new errors.SessionError('ERR_NO_PASSPORT_SESSION', 'x'),
  new errors.SessionError('ERR_SESSION_COOKIE', 'x'),
  new errors.SessionError('ERR_SESSION_NOT_RENEWED', 'x'),
  new errors.SessionError('ERR_SESSION_STORE', 'x'),
  new errors.FirstFactorError('user'),
  new errors.SecondFactorError('x'),
  new errors.RecoveryCodesError('x'),
  new errors.UsageError('ERR_NO_SERIALIZER', 'x'),
  new errors.UsageError('ERR_PASSPORT_COPY', 'x'),
  new errors.UsageError('ERR_PASSPORT_INSTANCE', 'x'),
  new errors.UsageError('ERR_GUARD_REDIRECT', 'x'),
  new errors.UsageError('ERR_NOT_CALLED', 'x'),
  new errors.UsageError('ERR_STRATEGY_OBJECT', 'x'),
  new errors.UsageError('ERR_STRATEGY_PROPERTY', 'x'),
  new errors.UsageError('ERR_STRATEGY_SENDS_NOTHING', 'x'),
  new errors.UsageError('ERR_TOTP_SECRET', 'x'),
];

/** Returns the text under the heading of each code. */
function readCodes(text: string): ReadonlyMap<string, string> {
  const sections = text.split(/^### /m).slice(1);
  return new Map(
    sections
      .map((section) => {
        const [code = '', ...lines] = section.replace(/^## .*/ms, '').split('\n');
        return [code, lines.join('\n').trim()] as const;
      })
      .filter(([code]) => code.startsWith('ERR_')),
  );
}

describe('docs/troubleshooting.md', () => {
  it('docs/troubleshooting.md covers every error class', () => {
    const classes = Object.values(errors).filter(
      (value) => typeof value === 'function' && value.prototype instanceof errors.SmsOtpError,
    );
    // NoAnswerError is the abstract base of three of them.
    const thrown = new Set(['NoAnswerError', ...THROWN.map((error) => error.name)]);
    expect([...thrown].sort()).toEqual(classes.map(({ name }) => name).sort());
  });

  it('docs/troubleshooting.md has every code and no other', () => {
    const source = readFileSync(join(ROOT, 'src/errors.ts'), 'utf8');
    const inSource = new Set(
      Array.from(source.matchAll(/(?:'|^ {2})(ERR_[A-Z_]*[A-Z])(?:'|:)/gm), ([, code]) => code),
    );
    expect([...codes.keys()].sort()).toEqual([...inSource].sort());
    expect(THROWN.map(({ code }) => code).sort()).toEqual([...inSource].sort());
  });

  it.each(THROWN)(
    'docs/troubleshooting.md gives $code its class and status, a meaning and a cure',
    (error) => {
      const section = codes.get(error.code) ?? '';
      expect(section).toMatch(new RegExp(`^\`${error.name}\`, ${error.status}\\b`));
      // What it means, and what to do.
      expect(section.split(/[.:] /).length).toBeGreaterThan(2);
    },
  );

  it('docs/troubleshooting.md has every reason and no other', () => {
    expect([...reasons.keys()].sort()).toEqual([...REASONS].sort());
  });

  it.each(REASONS)(
    'docs/troubleshooting.md gives %s its status and word, a meaning and a sentence for the page',
    (reason) => {
      const [reply, ...words] = reasons.get(reason) ?? [];
      const { status, error } = REPLIES[reason];
      expect(reply).toBe(`${status} \`${error}\``);
      expect(words.filter((word) => word.length > 10)).toHaveLength(2);
    },
  );
});
