import { describe, expect, it } from '@jest/globals';
import type { MessageContext, MessagesOption, SmsOtpOptions } from 'passport-sms-otp';
import type { TestUser } from '../support/test-users';
import { visit } from '../support/visit';
import { useOwnApps } from '../support/use-app';

const FRENCH: TestUser = { id: 'french', phone: '+33612345678' };
const INDIAN: TestUser = { id: 'indian', phone: '+919876543210' };
const BRITISH: TestUser = { id: 'british', phone: '+447400123456' };
const OF_GUERNSEY: TestUser = { id: 'guernsey', phone: '+447911123456' };
const FILIPINO: TestUser = { id: 'filipino', phone: '+639171234567' };

describe('a message to a country', () => {
  const test = useOwnApps();
  async function sendTo(
    user: TestUser,
    options: Partial<SmsOtpOptions>,
  ): Promise<(string | undefined)[]> {
    await test.start({
      users: [user],
      options: {
        allowedCountries: 'any',
        appName: 'Example',
        ...options,
        messages: { sender: 'Example', ...options.messages },
      },
    });
    expect((await visit(test, user).login()).status).toBe(200);
    const sent = test.sim.outbox.at(-1);
    return [sent?.sender, sent?.text.replace(sent.pin, '[PIN]')];
  }

  const perCountry: MessagesOption['perCountry'] = {
    FR: { sender: '12345678901234' },
    IN: { sender: 'EXMPLE', template: 'Your EXMPLE code is [PIN]' },
    GB: { sender: 'Example UK' },
    GG: { template: ({ purpose }: MessageContext) => `Guernsey ${purpose} [PIN]` },
  };
  const usual = 'Example: [PIN] is your sign-in code. It expires in 5 min. Never share it.';

  it.each([
    ['its own sender and the usual text', FRENCH, ['12345678901234', usual]],
    ['its own text as registered there', INDIAN, ['EXMPLE', 'Your EXMPLE code is [PIN]']],
    ['the sender of the country', BRITISH, ['Example UK', usual]],
    [
      'the entry of a territory rather than of its country',
      OF_GUERNSEY,
      ['Example', 'Guernsey login [PIN]'],
    ],
    ['nothing of its own for a country without an entry', FILIPINO, ['Example', usual]],
  ] as const)('a message to a country has %s', async (_what, user, expected) => {
    expect(await sendTo(user, { messages: { perCountry } })).toEqual(expected);
  });

  it('an entry of perCountry covers the territories of that country', async () => {
    const sent = await sendTo(OF_GUERNSEY, {
      messages: { perCountry: { GB: { sender: 'Example UK' } } },
    });
    expect(sent).toEqual(['Example UK', usual]);
  });

  it('a message to a country is in the locale of the user', async () => {
    const [, text] = await sendTo(FRENCH, { getLocale: () => 'de-AT', messages: { perCountry } });
    expect(text).toBe(
      'Example: [PIN] ist Ihr Anmeldecode. Er gilt 5 Min. Geben Sie ihn niemals weiter.',
    );
  });

  it('a message is in the default locale where getLocale returns none that is served', async () => {
    const options = {
      getLocale: () => 'de',
      messages: { locales: ['es'], defaultLocale: 'fr' },
    } as const;
    const [, text] = await sendTo(FRENCH, options);
    expect(text).toMatch(/^Example : \[PIN\] est votre code de connexion\./);
  });
});
