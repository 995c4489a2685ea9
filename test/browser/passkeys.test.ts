import { beforeEach, describe, expect, it } from '@jest/globals';
import type { CDPSession, Page } from 'playwright-core';
import { BOB_PHONE } from '../example-app/site';
import { readPin } from '../example-app/visitor';
import { findFlaws } from './barriers';
import { inChromium, useChromium } from './chromium';
import { giveCode, givePassword, logIn, openWindow, useOwnWindows, WIDTHS } from './window';

const DAY_SECONDS = 86_400;

/** The fingerprint reader of this page's device. */
interface Device {
  readonly session: CDPSession;
  readonly authenticatorId: string;
}

async function addDevice(page: Page): Promise<Device> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return { session, authenticatorId };
}

inChromium(describe)('passkeys in Chromium', () => {
  const browser = useChromium();
  const window = useOwnWindows(browser);
  let page: Page;
  let device: Device;

  async function open(look = WIDTHS[0]?.[1] ?? {}): Promise<void> {
    ({ page } = await window.start(look));
    device = await addDevice(page);
  }

  const texts = (): number => window.site.simulator.outbox.length;

  async function addPasskey(): Promise<void> {
    await page.goto('/settings');
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByRole('status').getByText('Your passkey is added.').waitFor();
  }

  async function logOut(): Promise<void> {
    await page.getByRole('button', { name: 'Log out', exact: true }).click();
    await page.getByRole('status').getByText('You are logged out.').waitFor();
    window.site.advanceSeconds(60);
  }

  async function usePasskey(): Promise<void> {
    if (!page.url().endsWith('/factor-passkey'))
      await page.getByRole('link', { name: 'Use your passkey' }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
  }

  describe.each(WIDTHS)('on a %s', (_name, look) => {
    beforeEach(() => open(look));

    it('are added, log in and confirm a step-up in one click each, are renamed and removed', async () => {
      await logIn(window);
      const sent = texts();
      await addPasskey();
      expect(await findFlaws(page)).toEqual([]);
      // The device has one for this account.
      await page.getByRole('button', { name: 'Add a passkey' }).click();
      await page.getByRole('alert').getByText('This device already has a passkey').waitFor();
      await logOut();
      await givePassword(page);
      expect(await findFlaws(page)).toEqual([]);
      await usePasskey();
      await page.waitForURL('**/account');
      await page.getByText('Password and passkey').waitFor();
      window.site.advanceSeconds(301);
      await page.goto('/settings');
      await page.waitForURL('**/second-factor/step-up');
      expect(await findFlaws(page)).toEqual([]);
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.waitForURL('**/second-factor/code');
      await usePasskey();
      await page.waitForURL('**/settings');
      await page.getByText('Rename').click();
      await page.getByLabel('New name').first().fill('Laptop & co');
      await page.getByRole('button', { name: 'Save the name' }).click();
      await page.getByText('Laptop & co').waitFor();
      await page
        .getByRole('region', { name: 'Passkeys' })
        .getByText('Remove', { exact: true })
        .click();
      await page.getByRole('button', { name: 'Remove this passkey' }).click();
      await page.getByText('The passkey has been removed.').waitFor();
      expect(await page.getByText('Laptop & co').count()).toBe(0);
      expect(texts()).toBe(sent);
      await logOut();
      await givePassword(page);
      await giveCode(page, readPin(window.site));
      await page.waitForURL('**/account');
      expect(window.complaints).toEqual([]);
    });

    it('are offered once a week after a texted code, and added with one click', async () => {
      const offer = page.getByRole('region', { name: 'Next time, skip the code' });
      await logIn(window);
      await offer.waitFor();
      expect(await findFlaws(page)).toEqual([]);
      await page.reload();
      await offer.getByRole('button', { name: 'Not now' }).click();
      await page.waitForURL('**/account');
      expect(await offer.count()).toBe(0);
      for (const [days, isOffered] of [
        [6, 0],
        [1, 1],
      ] as const) {
        await logOut();
        window.site.advanceSeconds(days * DAY_SECONDS);
        await logIn(window);
        await page.getByRole('heading', { name: 'Hello, Alice' }).waitFor();
        expect(await offer.count()).toBe(isOffered);
      }
      await offer.getByRole('button', { name: 'Add a passkey' }).click();
      await page.getByRole('status').getByText('Your passkey is added.').waitFor();
      await page.goto('/account');
      expect(await offer.count()).toBe(0);
      expect(window.complaints).toEqual([]);
    });

    it('let texts be switched off, with the recovery codes as the way back', async () => {
      await logIn(window);
      await addPasskey();
      await page.getByText('Make recovery codes before').waitFor();
      await page.goto('/second-factor/settings');
      await page.getByRole('link', { name: 'Make new codes' }).click();
      await page.getByRole('button', { name: 'Make the codes' }).click();
      const code = await page.locator('.codes code').first().textContent();
      await page.getByRole('link', { name: 'I’ve saved them' }).click();
      await page.goto('/settings');
      await page.getByRole('button', { name: 'Stop texting me login codes' }).click();
      await page.getByText('We won’t text you codes to log in any more.').waitFor();
      expect(await findFlaws(page)).toEqual([]);
      const sent = texts();
      await logOut();
      await givePassword(page);
      expect(await findFlaws(page)).toEqual([]);
      await page.getByRole('link', { name: 'I can’t get a code' }).click();
      await page.getByRole('link', { name: 'Use a recovery code' }).click();
      await page.getByLabel('Recovery code').fill(code ?? '');
      await page.getByRole('button', { name: 'Confirm' }).click();
      await page.waitForURL('**/account');
      expect(texts()).toBe(sent);
      await page.goto('/settings');
      await page.getByRole('button', { name: 'Text me login codes again' }).click();
      await page.getByText('You can ask for a code by text message again').waitFor();
      await logOut();
      await givePassword(page);
      await page.getByRole('button', { name: 'Send me a text message instead' }).click();
      await page.getByLabel('Code from the text message').waitFor();
      expect(texts()).toBe(sent + 1);
      expect(window.complaints).toEqual([]);
    });
  });

  it('leave the other ways open to a device without one, to a click on cancel, and to a browser without scripts', async () => {
    await open();
    await logIn(window);
    await addPasskey();
    await logOut();
    const { session, authenticatorId } = device;
    await session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
    await givePassword(page);
    await usePasskey();
    await page.getByRole('alert').getByText('That didn’t work.').waitFor();
    expect(await page.getByRole('button', { name: 'Continue' }).isEnabled()).toBe(true);
    expect(await findFlaws(page)).toEqual([]);
    await page.goto('/second-factor/code');
    await page.getByRole('button', { name: 'Send me a text message instead' }).click();
    await giveCode(page, readPin(window.site));
    await page.waitForURL('**/account');
    window.site.advanceSeconds(60);
    const plain = await browser().newContext({
      javaScriptEnabled: false,
      baseURL: window.origin,
    });
    const script = await plain.newPage();
    await givePassword(script);
    await script.getByRole('link', { name: 'Use your passkey' }).click();
    await script.getByText('This browser can’t do that here.').waitFor();
    expect(await script.getByRole('button', { name: 'Continue' }).count()).toBe(0);
    await script.goto('/second-factor/code');
    await script.getByRole('button', { name: 'Send me a text message instead' }).waitFor();
    await plain.close();
  });

  it('work without the browser’s JSON methods', async () => {
    await open();
    await page.addInitScript(`
        delete PublicKeyCredential.parseRequestOptionsFromJSON;
        delete PublicKeyCredential.parseCreationOptionsFromJSON;
        delete PublicKeyCredential.prototype.toJSON;`);
    await logIn(window);
    await addPasskey();
    await logOut();
    await givePassword(page);
    await usePasskey();
    await page.waitForURL('**/account');
    expect(window.complaints).toEqual([]);
  });

  describe('refuse an attack, and log nobody in:', () => {
    /** What the page sends with each form. */
    const readCsrf = () => page.locator('input[name=_csrf]').first().inputValue();

    const fetchOptions = () =>
      page.evaluate<Record<string, unknown>>(`(async () => {
        const _csrf = document.querySelector('input[name=_csrf]').value;
        const body = new URLSearchParams({ _csrf });
        return (await fetch('/second-factor/factor-passkey-options', { method: 'POST', body })).json();
      })()`);

    /** What the device signs for the page that is open. */
    const sign = (options: object) =>
      page.evaluate<string>(`(async () => {
        const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(${JSON.stringify(options)});
        return JSON.stringify(await navigator.credentials.get({ publicKey }));
      })()`);

    /** Sends a response, and returns the answer and whether the account opens. */
    async function respond(credential: string) {
      await page.goto('/second-factor/code');
      const { request } = page.context();
      const form = { _csrf: await readCsrf(), credential };
      const answer = await request.post('/second-factor/factor-passkey', { form, maxRedirects: 0 });
      const account = await request.get('/account', { maxRedirects: 0 });
      return [answer.status(), answer.headers().location, account.status()];
    }

    const REFUSED = [303, '/second-factor/factor-passkey', 303];

    async function expectOnlyHonest(): Promise<void> {
      await page.goto('/second-factor/factor-passkey');
      await usePasskey();
      await page.waitForURL('**/account');
    }

    beforeEach(async () => {
      await open();
      await logIn(window);
      await addPasskey();
      await logOut();
      await givePassword(page);
    });

    it('a page on another origin of the same host passes the challenge on', async () => {
      const options = await fetchOptions();
      const phisher = await openWindow(browser(), {});
      await page.goto(phisher.origin);
      const credential = await sign(options);
      expect(
        Buffer.from(JSON.parse(credential).response.clientDataJSON, 'base64url').toString(),
      ).toContain(phisher.origin);
      await phisher.close();
      expect(await respond(credential)).toEqual(REFUSED);
      await page.goto('/second-factor/factor-passkey');
      await expectOnlyHonest();
    });

    it('a page on another host asks for it: the browser itself refuses', async () => {
      const options = await fetchOptions();
      await page.goto(window.origin.replace('localhost', '127.0.0.1'));
      await expect(sign(options)).rejects.toThrow(/SecurityError|relying party ID/i);
      await expectOnlyHonest();
    });

    it('another user’s passkey, and a response to the challenge of another login', async () => {
      const mine = await fetchOptions();
      const elsewhere = await sign(mine);
      await page.getByRole('button', { name: 'Cancel' }).click();
      await givePassword(page, 'bob');
      await giveCode(page, readPin(window.site, BOB_PHONE));
      await page.waitForURL('**/account');
      await addPasskey();
      await logOut();
      await givePassword(page, 'bob');
      const bobs = await fetchOptions();
      const credential = await sign({ ...bobs, allowCredentials: mine.allowCredentials });
      expect(JSON.parse(credential).id).not.toBe(JSON.parse(await sign(bobs)).id);
      expect(await respond(credential)).toEqual(REFUSED);
      await fetchOptions();
      expect(await respond(elsewhere)).toEqual(REFUSED);
      await expectOnlyHonest();
      await page.getByRole('heading', { name: 'Hello, Bob' }).waitFor();
    });

    it('a page that asks for no fingerprint, and a response that is sent again', async () => {
      const { session, authenticatorId } = device;
      await session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
      const unverified = await sign({
        ...(await fetchOptions()),
        userVerification: 'discouraged',
      });
      expect(await respond(unverified)).toEqual(REFUSED);
      await page.goto('/second-factor/factor-passkey');
      await session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true });
      const good = await sign(await fetchOptions());
      expect(await respond(good)).toEqual([303, '/account', 200]);
      await page.goto('/account');
      await logOut();
      await givePassword(page);
      expect(await respond(good)).toEqual(REFUSED);
      await fetchOptions();
      expect(await respond(good)).toEqual(REFUSED);
      await expectOnlyHonest();
    });

    it('a copy of the device, whose counter falls behind', async () => {
      const { session, authenticatorId } = device;
      const { credentials } = await session.send('WebAuthn.getCredentials', { authenticatorId });
      const [copy] = credentials;
      if (copy === undefined) throw new Error('The device has no passkey');
      await expectOnlyHonest();
      await logOut();
      await givePassword(page);
      const swap = async (credential: typeof copy) => {
        await session.send('WebAuthn.removeCredential', {
          authenticatorId,
          credentialId: copy.credentialId,
        });
        await session.send('WebAuthn.addCredential', { authenticatorId, credential });
      };
      await swap(copy);
      await usePasskey();
      await page.locator('#notice', { hasText: 'That didn’t work.' }).waitFor();
      const account = await page.context().request.get('/account', { maxRedirects: 0 });
      expect(account.status()).toBe(303);
      await swap({ ...copy, signCount: copy.signCount + 10 });
      await expectOnlyHonest();
    });
  });
});
