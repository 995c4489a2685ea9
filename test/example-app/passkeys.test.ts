import { beforeEach, describe, expect, it } from '@jest/globals';
import { TOTP } from 'otpauth';
import { memoryLists } from '../../example-app/lists';
import { createLog } from '../../example-app/log';
import { createPasskeyStore } from '../../example-app/passkeys';
import { Authenticator } from '../support/authenticator';
import { ALICE_PHONE, useSite } from './site';
import { readNotice, readPin, Visitor } from './visitor';

const ORIGIN = 'http://localhost:3000';
const NEW_PHONE = '+12025550130';
const OFFER = 'Next time, skip the code';

describe('passkeys of the example app', () => {
  const site = useSite({ log: createLog('warn', { write: (line) => void lines.push(line) }) });
  const visitor = new Visitor(site);
  let device: Authenticator;
  let lines: string[];

  beforeEach(async () => {
    lines = [];
    await visitor.logIn();
    device = new Authenticator(ORIGIN);
  });

  async function addPasskey(who = visitor): Promise<string | undefined> {
    const { body } = await who.submit('/settings', '/settings/passkeys/options');
    const credential = JSON.stringify(device.create(body));
    const { headers } = await who.submit('/settings', '/settings/passkeys', { credential });
    site.advanceSeconds(60);
    return headers.location;
  }

  async function usePasskey(who: Visitor, origin = ORIGIN): Promise<string | undefined> {
    const { body } = await who.submit(
      '/second-factor/code',
      '/second-factor/factor-passkey-options',
    );
    const credential = JSON.stringify(device.get(body, { origin }));
    return (
      await who.submit('/second-factor/code', '/second-factor/factor-passkey', { credential })
    ).headers.location;
  }

  /** Gives the password in another browser. */
  async function begin(): Promise<Visitor> {
    const other = new Visitor(site);
    await other.givePassword();
    return other;
  }

  async function setUpApp(): Promise<string> {
    const page = '/settings/authenticator-app';
    const secret = (
      /<p class="key" dir="ltr"><code>([^<]+)</.exec((await visitor.open(page)).text)?.[1] ?? ''
    ).replaceAll(' ', '');
    await visitor.submit(page, page, {
      pin: new TOTP({ secret }).generate({ timestamp: site.now() }),
    });
    site.advanceSeconds(60);
    return secret;
  }

  const switchTexts = async (texts: 'on' | 'off', who = visitor): Promise<string | undefined> =>
    (await who.submit('/settings', '/settings/texts', { texts })).headers.location;

  it('are added by a fresh second factor alone, and by a form of this session', async () => {
    expect((await visitor.post('/settings/passkeys/options', { _csrf: 'another' })).status).toBe(
      303,
    );
    site.advanceSeconds(301);
    const stale = await visitor.submit('/account', '/settings/passkeys/options');
    expect([stale.status, stale.headers.location]).toEqual([303, '/settings']);
    const form = await visitor.submit('/account', '/settings/passkeys', { credential: '{}' });
    expect(form.headers.location).toBe('/settings');
    await visitor.submit('/second-factor/step-up', '/second-factor/step-up');
    await visitor.giveCode(readPin(site));
    const odd = await visitor.submit('/settings', '/settings/passkeys', { credential: 'not JSON' });
    expect(odd.headers.location).toBe('/settings?passkey-refused');
    expect(readNotice(await visitor.open('/settings?passkey-refused'))).toBe(
      'No passkey was added. You can try again.',
    );
    expect(await addPasskey()).toBe('/settings?passkey-added');
  });

  it('are asked for before an authenticator app, which stands beside them, and nothing is texted', async () => {
    const secret = await setUpApp();
    await addPasskey();
    const other = await begin();
    const { text } = await other.open('/second-factor/code');
    expect(text).toContain('href="factor-passkey">Use your passkey</a>');
    const ways = await other.open('/second-factor/other-ways');
    expect(ways.text).toMatch(/factor-passkey[^]*factor-totp/);
    expect(await usePasskey(other)).toBe('/account');
    expect((await other.open('/account')).text).toContain('Password and passkey');
    const third = await begin();
    const pin = new TOTP({ secret }).generate({ timestamp: site.now() });
    expect(
      (await third.submit('/second-factor/code', '/second-factor/factor-totp', { pin })).headers
        .location,
    ).toBe('/account');
    expect(site.simulator.outbox).toHaveLength(1);
  });

  it('of another origin are refused with a sentence of their own, and logged without what was sent', async () => {
    await addPasskey();
    const other = await begin();
    expect(await usePasskey(other, 'http://localhost:3999')).toBe('/second-factor/factor-passkey');
    const { text } = await other.open('/second-factor/factor-passkey');
    expect(text).toContain('That didn’t work. Try again, or choose another way.</p></div>');
    expect(text).not.toContain('code is not correct');
    expect(text).toContain('action="factor-passkey"');
    expect((await other.open('/account')).headers.location).toBe('/second-factor/code');
    const logged = lines.map((line): unknown => JSON.parse(line).passkey).filter(Boolean);
    expect(logged).toEqual([{ userId: 'user-1', reason: 'not-verified' }]);
    expect(lines.join('')).not.toContain('localhost');
  });

  it('that are removed close what was opened elsewhere', async () => {
    await addPasskey();
    const other = await begin();
    await usePasskey(other);
    expect((await other.open('/account')).status).toBe(200);
    const removed = await visitor.submit('/settings', '/settings/passkeys/remove', {
      passkeyId: device.id,
    });
    expect(removed.headers.location).toBe('/settings?passkey-removed');
    expect((await other.open('/account')).headers.location).toBe('/login');
    expect((await visitor.open('/account')).status).toBe(200);
  });

  it('are offered after a texted code alone', async () => {
    expect((await visitor.open('/account')).text).toContain(OFFER);
    expect((await visitor.open('/account')).text).toContain(OFFER);
    const [code = ''] = await visitor.makeCodes();
    site.advanceSeconds(8 * 86_400);
    const other = await begin();
    await other.submit('/second-factor/code', '/second-factor/recovery-code', {
      recoveryCode: code,
    });
    expect((await other.open('/account')).text).not.toContain(OFFER);
  });

  it('are offered to one of two logins that come together', async () => {
    const store = createPasskeyStore(memoryLists());
    const offers = await Promise.all(
      [1, 2].map((codeAt) => store.isOffered('user-1', codeAt, site.now())),
    );
    expect(offers.sort()).toEqual([false, true]);
  });

  describe('with texts switched off', () => {
    it('need recovery codes first, and something better than a text', async () => {
      const { length } = await visitor.makeCodes();
      expect(length).toBe(10);
      expect(await switchTexts('off')).toBe('/settings');
      site.advanceSeconds(60);
      await begin();
      expect(site.simulator.outbox).toHaveLength(2);
    });

    it('leave the old number alone, through login, step-up and a new number', async () => {
      await addPasskey();
      expect(await switchTexts('off')).toBe('/settings');
      await visitor.makeCodes();
      expect(await switchTexts('off')).toBe('/settings?texts-off');
      const sent = site.simulator.outbox.length;
      site.advanceSeconds(3600);
      const other = await begin();
      const refused = await other.submit('/second-factor/code', '/second-factor/resend');
      expect(refused.headers.location).toBe('/second-factor/code');
      expect(await usePasskey(other)).toBe('/account');
      site.advanceSeconds(301);
      expect((await other.open('/settings')).headers.location).toBe('/second-factor/step-up');
      await other.submit('/second-factor/step-up', '/second-factor/step-up');
      await other.submit('/second-factor/code', '/second-factor/resend');
      expect(await usePasskey(other)).toBe('/settings');
      expect(site.simulator.outbox).toHaveLength(sent);
      await other.submit('/account', '/second-factor/add-number', { phone: NEW_PHONE });
      await other.answerCode(readPin(site, NEW_PHONE));
      expect((await other.open('/second-factor/settings')).text).toContain('Number ending in 30');
      // The new number has proven itself; the old one has heard of nothing.
      expect(
        site.simulator.outbox.slice(sent).map(({ mobile }) => `+${mobile.replace('+', '')}`),
      ).toEqual([NEW_PHONE]);
      expect(
        site.simulator.outbox.filter(({ mobile }) => mobile.endsWith(ALICE_PHONE.slice(1))),
      ).toHaveLength(sent);
    });

    it('need no passkey where there is an app, and come back when the last of both is removed', async () => {
      await setUpApp();
      await visitor.makeCodes();
      expect(await switchTexts('off')).toBe('/settings?texts-off');
      await addPasskey();
      await visitor.submit('/settings', '/settings/passkeys/remove', { passkeyId: device.id });
      expect((await visitor.open('/settings')).text).toContain('Text me login codes again');
      await visitor.submit('/settings', '/settings/authenticator-app/remove');
      site.advanceSeconds(60);
      await begin();
      expect(site.simulator.outbox).toHaveLength(2);
      // Whoever adds one again chooses again.
      device = new Authenticator(ORIGIN);
      await addPasskey();
      expect((await visitor.open('/settings')).text).toContain('Stop texting me login codes');
    });
  });
});
