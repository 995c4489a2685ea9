import { describe, expect, it } from '@jest/globals';
import { type BuildMessage, createMessageBuilder } from '../../src/messages/build-message';
import type { MessageBuilderOptions } from '../../src/messages/options';
import type { Transaction } from '../../src/stores/store';
import { MESSAGE_LOCALES } from '../../src/messages/locales';
import { ALICE } from '../support/test-app';
import { asUser } from '../support/test-users';
import { useOwnApps } from '../support/use-app';

const apps = useOwnApps();

const settings: MessageBuilderOptions = {
  appName: 'Example',
  maxCodeDigits: 10,
  codeValiditySeconds: 300,
  getLocale: () => 'en',
};

async function send(
  build: BuildMessage,
  transaction: Transaction | undefined,
  locale = 'en',
): Promise<string> {
  const context = { user: asUser(ALICE), purpose: 'transaction', locale, transaction } as const;
  return (await build({ ...context, country: () => Promise.resolve(null) }, 300)).text;
}

const LOST = /the payee of a transaction must not have/;

/** An IBAN, as an attacker's own account may begin, and end otherwise. */
const IBAN = 'DE89 3704 0044 0532 0130 00';

describe('the text of a transaction', () => {
  const build = createMessageBuilder(settings);
  const bound = createMessageBuilder({ ...settings, autofillHost: 'login.example.com' });

  it.each([
    [
      'whole',
      { amount: '49.90 EUR', payee: 'Fresh Flowers Ltd' },
      'Example: [PIN] is your code for 49.90 EUR to Fresh Flowers Ltd. It expires in 5 min. Never share it.',
    ],
    [
      'on one line and without a link',
      { amount: '1\u202f234,50\u00a0€', payee: ' Fresh\nFlowers  evil.test ' },
      'Example: [PIN] is your code for 1 234,50 € to Fresh Flowers evil. test. It expires in 5 min. Never share it.',
    ],
    [
      'in a shorter sentence where a letter of the payee forces UCS-2',
      { amount: '200,00 PLN', payee: 'Wacław Żółć' },
      'Example: [PIN]: 200,00 PLN to Wacław Żółć',
    ],
    [
      'with the payee cut in the middle where that is still too long',
      { amount: '200,00 PLN', payee: 'Żółte Kwiaty Świeże Na Rynku Głównym' },
      'Example: [PIN]: 200,00 PLN to Żółte Kwiaty Świeże Na Rynku...wnym',
    ],
    [
      'without a letter that forces UCS-2 where it stands in the middle',
      { amount: '49.90 EUR', payee: `${'Flower '.repeat(9)}ł Flower` },
      `Example: [PIN]: 49.90 EUR to ${'Flower '.repeat(9).trim()}...ower`,
    ],
    [
      'with a payee of any length cut at 70',
      { amount: '49.90 EUR', payee: 'x'.repeat(1_048_576) },
      `Example: [PIN]: 49.90 EUR to ${'x'.repeat(63)}...xxxx`,
    ],
  ])('the text of a transaction shows amount and payee %s', async (_what, transaction, text) => {
    expect(await send(build, transaction)).toBe(text);
  });

  it.each([
    ['1.234.567,89€', 0],
    ['123.456.789.012,34€', 1],
  ])('the payee keeps its beginning and its end, or is refused: %s', async (amount, count) => {
    const local = createMessageBuilder({ ...settings, autofillHost: 'bank.example.com' });
    const transaction = { amount, payee: IBAN };
    const texts = await Promise.all(
      MESSAGE_LOCALES.map(async (tag) =>
        send(local, transaction, tag).catch((error: unknown) => (error as TypeError).message),
      ),
    );
    const cut = texts.filter((text) => !text.includes(IBAN));
    const shown = cut.filter((text) => /DE89 3704.*30 00/u.test(text));
    expect(cut.length).toBeGreaterThan(3);
    expect(cut.length - shown.length).toBe(count);
    const refused = cut.filter((text) => text.includes('nothing was sent'));
    expect(refused).toHaveLength(count);
  });

  it('the text of a transaction keeps the autofill line, whatever the payee', async () => {
    const text = await send(bound, { amount: '200,00 PLN', payee: 'Żółte Kwiaty Świeże Na Rynku' });
    expect(text).toBe('200,00 PLN to Żółte Kwiaty Śwież...ynku\n@login.example.com #[PIN]');
  });

  it.each([
    [
      'does not fit beside the code',
      { amount: `123456789012345678901234567890123 zł`, payee: 'Flowers' },
    ],
    [
      'leaves the payee less than eight characters and the last four',
      { amount: '12345678901234567 zł', payee: 'Fresh Flowers Limited' },
    ],
  ])('the text of a transaction is not sent when the amount %s', async (_what, transaction) => {
    const sent = send(bound, transaction);
    await expect(sent).rejects.toThrow(TypeError);
    await expect(sent).rejects.toThrow('do not fit one text message (locale en); nothing was sent');
  });

  it.each([
    ['no transaction', undefined, /must have an amount and a payee/],
    ['an empty amount', { amount: ' ', payee: 'Flowers' }, /the amount of a transaction/],
    [
      'an amount of 41 characters',
      { amount: '1'.repeat(41), payee: 'Flowers' },
      /1 to 40 characters/,
    ],
    [
      'an amount of a megabyte',
      { amount: '1'.repeat(1_048_576), payee: 'Flowers' },
      /1 to 40 characters/,
    ],
    [
      'an amount that would lose a sign',
      { amount: '10#00', payee: 'Flowers' },
      /without @, #, \[ and \]/,
    ],
    [
      'an amount that would lose a full-width sign',
      { amount: '10\uff0300', payee: 'x' },
      /without @, #/,
    ],
    [
      'a payee of nothing harmless',
      { amount: '1', payee: '@#\u200b' },
      /the payee of a transaction/,
    ],
    ['a payee of Hangul fillers', { amount: '1', payee: '\u3164'.repeat(4) }, LOST],
    [
      'a payee of blanks of Braille',
      { amount: '1', payee: '\u2800'.repeat(4) },
      /must have letters or digits/,
    ],
    ['a payee of private characters', { amount: '1', payee: '\ue000\ufffc' }, LOST],
    ['a payee with a sign', { amount: '1', payee: 'Alice #1' }, LOST],
    ['a payee in brackets', { amount: '1', payee: 'A[li]ce' }, LOST],
    ['a payee with a zero-width space', { amount: '1', payee: 'Alice\u200b Ltd' }, LOST],
    ['a payee with another one', { amount: '1', payee: 'Alice\ufeff Ltd' }, LOST],
    ['a payee with a soft hyphen', { amount: '1', payee: 'Ali\u00adce' }, LOST],
    ['a payee that runs to the left', { amount: '1', payee: 'Alice \u202eecilA' }, LOST],
    ['a payee of five marks on a letter', { amount: '1', payee: `A${'\u0301'.repeat(5)}` }, LOST],
    ['a payee of marks alone', { amount: '1', payee: '.-\u0301*' }, /must have letters or digits/],
    [
      'an amount that is not a string',
      { amount: 7 as unknown as string, payee: 'Flowers' },
      /must be a string/,
    ],
  ])('the text of a transaction is not sent with %s', async (_what, transaction, problem) => {
    const sent = send(build, transaction);
    await expect(sent).rejects.toThrow(TypeError);
    await expect(sent).rejects.toThrow(problem);
  });

  it('the text of a transaction is in the language of the user', async () => {
    const transaction = { amount: '49,90 EUR', payee: 'Blumen' };
    expect(await send(build, transaction, 'de-AT')).toContain(
      'ist Ihr Code für 49,90 EUR an Blumen.',
    );
    expect(await send(build, transaction, 'zh-CN')).toContain('向Blumen付款49,90 EUR');
  });

  it('a fixed template is refused for a transaction, because it would hide what is approved', async () => {
    const fixed = createMessageBuilder({ ...settings, template: 'Your code: [PIN]' });
    await expect(send(fixed, { amount: '1', payee: 'x' })).rejects.toThrow(
      'messages.template is fixed and shows no amount and payee',
    );
  });

  it('a transaction whose text cannot be built fails before anything is charged or sent', async () => {
    let transaction = { amount: '1'.repeat(41), payee: 'Flowers' };
    const test = await apps.start({
      routes: (app, smsOtp) => {
        app.post('/approve', smsOtp.stepUp({ transaction: () => transaction }), (req, res) =>
          res.json(req.smsOtp),
        );
      },
    });
    const agent = test.agent();
    await agent.post('/login').send({ username: 'alice', password: 'right' });
    await agent.post('/login/pin').send({ pin: test.code() });
    test.clock.advanceSeconds(31);
    expect((await agent.post('/approve')).status).toBe(500);
    expect(test.sim.stats().calls).toMatchObject({ generate: 1 });
    transaction = { amount: '1.00 EUR', payee: 'Flowers' };
    expect((await agent.post('/approve')).status).toBe(200);
    expect(test.sim.outbox.at(-1)?.text).toMatch(/^\d{6} is your code for 1\.00 EUR to Flowers\./);
  });
});
