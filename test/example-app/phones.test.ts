import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Response } from 'supertest';
import { ALICE_PHONE, useSite } from './site';
import { readNotice, readPin, readWrongPin, Visitor } from './visitor';

const OTHER_PHONE = '+12025550130';

describe('the numbers in the settings of the example app', () => {
  const site = useSite();
  const visitor = new Visitor(site);
  beforeEach(() => visitor.logIn());

  async function addPhone(phone = OTHER_PHONE): Promise<Response> {
    await visitor.submit('/account', '/second-factor/add-number', { phone });
    return visitor.answerCode(readPin(site, phone));
  }

  /** Sends the form of the number with these last digits. */
  async function act(action: string, digits: string, fields = {}): Promise<Response> {
    const { text } = await visitor.open('/second-factor/settings');
    const item =
      text.split('<li>').find((part) => part.includes(`Number ending in ${digits}`)) ?? '';
    const phoneId =
      /(?:name="phoneId" value=|add-number\?replaces=)"?([^"]+)"/.exec(item)?.[1] ?? '';
    return visitor.submit('/account', action, { phoneId, ...fields });
  }

  it('get another one, which is texted when it is chosen on the page of the code', async () => {
    expect((await addPhone()).headers.location).toBe('/second-factor/settings');
    expect((await visitor.open('/second-factor/settings')).text).toContain('Number ending in 30');
    site.advanceSeconds(60);
    const other = new Visitor(site);
    await other.givePassword();
    const page = await other.open('/second-factor/code');
    expect(page.text).toContain('Send it to the number ending in 30');
    const phoneId = /name="phoneId" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
    site.advanceSeconds(60);
    await other.submit('/second-factor/code', '/second-factor/resend', { phoneId });
    expect((await other.open('/second-factor/code')).text).toContain('number ending in 30');
    expect((await other.giveCode(readPin(site, OTHER_PHONE))).headers.location).toBe('/account');
  });

  it('get none before its own code was right', async () => {
    await visitor.submit('/account', '/second-factor/add-number', { phone: OTHER_PHONE });
    expect((await visitor.open('/second-factor/code')).text).toContain('Confirm your number');
    await visitor.answerCode(readWrongPin(site, OTHER_PHONE));
    const { text } = await visitor.open('/second-factor/settings');
    expect(text).toContain('Not confirmed');
    site.advanceSeconds(300);
    await new Visitor(site).givePassword();
    expect(site.simulator.outbox.at(-1)?.mobile).toBe(ALICE_PHONE);
  });

  it('are changed by the code of the new one, which is texted from then on', async () => {
    await act('/second-factor/add-number', '23', { phone: OTHER_PHONE });
    expect((await visitor.answerCode(readPin(site, OTHER_PHONE))).headers.location).toBe(
      '/second-factor/settings',
    );
    const { text } = await visitor.open('/second-factor/settings');
    expect(text).toContain('Number ending in 30');
    expect(text).not.toContain('Number ending in 23');
    site.advanceSeconds(60);
    const other = new Visitor(site);
    expect((await other.logIn('alice', OTHER_PHONE)).headers.location).toBe('/account');
  });

  it('end the other sessions of their user when one is changed or removed, and nobody else’s', async () => {
    const [elsewhere, bob] = [new Visitor(site), new Visitor(site)];
    await bob.logIn('bob', '+12025550124');
    site.advanceSeconds(60);
    await elsewhere.logIn();
    site.advanceSeconds(60);
    await addPhone();
    expect((await elsewhere.open('/account')).headers.location).toBe('/login');
    expect((await bob.open('/account')).status).toBe(200);
    site.advanceSeconds(60);
    expect((await elsewhere.open('/login')).text).toContain('This login has ended.');
    await elsewhere.logIn();
    await act('/second-factor/remove-number', '30');
    expect((await elsewhere.open('/account')).headers.location).toBe('/login');
    expect((await visitor.open('/account')).status).toBe(200);
  });

  it('are made the first, and removed, but never the last one', async () => {
    await addPhone();
    expect((await act('/second-factor/default-number', '30')).headers.location).toBe(
      '/second-factor/settings',
    );
    expect((await act('/second-factor/remove-number', '23')).headers.location).toBe(
      '/second-factor/settings',
    );
    expect((await act('/second-factor/remove-number', '30')).headers.location).toBe(
      '/second-factor/settings',
    );
    expect(readNotice(await visitor.open('/second-factor/settings'))).toContain('your only number');
  });

  it.each([
    ['letters', '+1 FLOWERS', 'does not look like a phone number'],
    ['nothing', '', 'does not look like a phone number'],
    ['a number that no country has', '02025550130', 'does not look like a phone number'],
    ['a country that is not texted', '+4915123456789', 'cannot send messages to the country'],
    ['a premium number', '+19005550130', 'cannot send codes to this number'],
  ])('refuse %s and say why', async (_what, phone, sentence) => {
    const page = await visitor.submit('/account', '/second-factor/add-number', { phone });
    expect(readNotice(page)).toContain(sentence);
    expect(page.text).toContain('aria-invalid="true"');
    expect((await visitor.open('/second-factor/add-number')).text).not.toContain('aria-invalid');
    expect(site.simulator.outbox).toHaveLength(1);
  });

  it('are changed with the id of a number of one’s own alone', async () => {
    const bob = new Visitor(site);
    await bob.logIn('bob', '+12025550124');
    const foreign =
      /add-number\?replaces=([^"]+)"/.exec((await bob.open('/second-factor/settings')).text)?.[1] ??
      '';
    await visitor.submit('/account', '/second-factor/remove-number', { phoneId: foreign });
    expect(readNotice(await visitor.open('/second-factor/settings'))).toContain(
      'no mobile number for this account that can receive codes',
    );
  });
});
