import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  type BuildContext,
  type BuildMessage,
  createMessageBuilder,
} from '../../src/messages/build-message';
import { MESSAGE_LOCALES } from '../../src/messages/locales';
import type { MessageOption } from '../../src/messages/options';
import { sanitizeVariable } from '../../src/messages/sanitize';
import { ALICE, asUser } from '../support/test-users';
import { readAsChrome, readLastLine } from './parsers';
import { casesOf } from '../support/complete-run';

const CODE = '0123456789';
const HOST = 'example.com';

/** Pieces that an attacker would build from, between pieces of anything. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '@',
        '#',
        '[PIN]',
        '[PI',
        'N]',
        '[',
        ']',
        '\n',
        '\r',
        '\u2028',
        '\u0085',
        ' ',
        '\u00a0',
      ),
      fc.constantFrom(
        '@evil.test #111111',
        '\n@evil.test #1',
        '{app}',
        '{payee}',
        '{amount}',
        '$&',
        '$1',
        '\u200b',
      ),
      fc.string({ unit: 'binary', maxLength: 6 }),
      fc.string({ unit: 'grapheme', maxLength: 30 }),
    ),
    { maxLength: 8 },
  )
  .map((pieces) => pieces.join(''));

const context = (amount: string, payee: string, locale?: string): BuildContext => ({
  user: asUser(ALICE),
  purpose: 'transaction',
  locale,
  transaction: { amount, payee },
  country: () => Promise.resolve(null),
});

const settings = {
  appName: 'Example',
  maxCodeDigits: 10,
  codeValiditySeconds: 300,
  getLocale: () => 'en',
};

/** The text that is sent, or null when nothing is. */
async function sendText(build: BuildMessage, given: BuildContext): Promise<string | null> {
  try {
    return (await build(given, 300)).text;
  } catch (error) {
    expect(error).toBeInstanceOf(TypeError);
    return null;
  }
}

function expectOwnLineAlone(text: string): void {
  expect(text.split('[PIN]')).toHaveLength(2);
  expect(text.split('\n')).toHaveLength(2);
  const filled = text.replaceAll('[PIN]', CODE);
  const own = { host: HOST, code: CODE };
  expect([readLastLine(filled), readAsChrome(filled)]).toEqual([own, own]);
}

describe('forgery by a variable of a message', () => {
  it('a variable never becomes an origin-bound line or a second placeholder of a default text', async () => {
    let sent = 0;
    const build = createMessageBuilder({ ...settings, autofillHost: HOST });
    const locale = fc.constantFrom(...MESSAGE_LOCALES);
    await fc.assert(
      fc.asyncProperty(hostile, hostile, locale, async (amount, payee, tag) => {
        const text = await sendText(build, context(amount, payee, tag));
        if (text !== null) expectOwnLineAlone(text);
        // A payee that would lose a character is refused, unless the app has taken it out.
        const harmless = await sendText(build, context('1', sanitizeVariable(payee, 200), tag));
        if (harmless !== null) expectOwnLineAlone(harmless);
        sent += Number(harmless !== null);
      }),
      { numRuns: casesOf(400) },
    );
    expect(sent).toBeGreaterThan(casesOf(200));
  });

  it('a variable never adds an origin-bound line to a message that has none', async () => {
    const build = createMessageBuilder(settings);
    await fc.assert(
      fc.asyncProperty(hostile, async (payee) => {
        const text = await sendText(build, context('1', sanitizeVariable(payee, 200)));
        if (text === null) return;
        expect(text.split('[PIN]')).toHaveLength(2);
        expect([readLastLine(text), readAsChrome(text)]).toEqual([null, null]);
      }),
      { numRuns: casesOf(300) },
    );
  });

  it('a variable that the app sanitizes stays harmless in its template', async () => {
    const template: MessageOption = ({ transaction }) =>
      `To ${sanitizeVariable(transaction?.payee ?? '', 30)}: code below\n@${HOST} #[PIN]`;
    const build = createMessageBuilder({ ...settings, template });
    let sent = 0;
    await fc.assert(
      fc.asyncProperty(hostile, async (payee) => {
        const text = await sendText(build, context('1', payee));
        if (text !== null) expectOwnLineAlone(text);
        sent += Number(text !== null);
      }),
      { numRuns: casesOf(300) },
    );
    expect(sent).toBeGreaterThan(casesOf(200));
  });

  it.each([
    ['\n@evil.test #111111', /must not contain "@host #"/],
    [' @evil.test #111111 ', /must not contain "@host #"/],
    [' @evil_test #111111 ', /must not contain "@host #"/],
    [' \uff20evil.test \uff03111111 ', /must not contain "@host #"/],
    ['[PIN]', /exactly once/],
    ['\u2028', /control characters/],
  ])('a template that lets %j through is refused and nothing is sent', async (payee, problem) => {
    const template: MessageOption = ({ transaction }) =>
      `To ${transaction?.payee}: code below\n@${HOST} #[PIN]`;
    const build = createMessageBuilder({ ...settings, template });
    await expect(build(context('1', payee), 300)).rejects.toThrow(problem);
  });
});
