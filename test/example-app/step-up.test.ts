import { beforeEach, describe, expect, it } from '@jest/globals';
import { useSite } from './site';
import { readContent, readNotice, readPin, readToken, readWrongPin, Visitor } from './visitor';

describe.each(['A', 'B'] as const)('the settings of the example app, gateway %s', (variant) => {
  const site = useSite({ variant });
  const visitor = new Visitor(site);
  beforeEach(() => visitor.logIn());

  it('open while the code is fresh', async () => {
    expect((await visitor.open('/settings')).status).toBe(200);
    const page = await visitor.open('/second-factor/settings');
    expect(page.text).toContain('Number ending in 23');
    expect(readContent(page)).not.toContain('0123');
  });

  it('ask for a new code after five minutes and come back to where it was asked', async () => {
    site.advanceSeconds(301);
    expect((await visitor.open('/settings')).headers.location).toBe('/second-factor/step-up');
    expect((await visitor.open('/second-factor/step-up')).text).toContain(
      'to the number ending in 23',
    );
    expect(
      (await visitor.submit('/second-factor/step-up', '/second-factor/step-up')).headers.location,
    ).toBe('/second-factor/code');
    expect((await visitor.open('/second-factor/code')).text).toContain('Confirm it’s you');
    expect((await visitor.giveCode(readPin(site))).headers.location).toBe('/settings');
    expect((await visitor.open('/settings')).status).toBe(200);
  });

  it.each([
    '/second-factor/add-number',
    '/second-factor/remove-number',
    '/second-factor/default-number',
    '/second-factor/recovery-codes',
    '/second-factor/forget-device',
    '/second-factor/end-logins',
  ])('refuse %s when the code has grown too old with the page open', async (path) => {
    const page = await visitor.open('/second-factor/settings');
    const phoneId = /add-number\?replaces=([^"]+)"/.exec(page.text)?.[1] ?? '';
    site.advanceSeconds(301);
    const form = { _csrf: readToken(page), phone: '+12025550130', phoneId, deviceId: 'any' };
    expect((await visitor.post(path, form)).headers.location).toBe('/second-factor/confirm');
    expect(site.simulator.outbox).toHaveLength(1);
  });

  it('leave the user logged in after a wrong code and after cancel', async () => {
    site.advanceSeconds(301);
    await visitor.open('/settings');
    await visitor.submit('/second-factor/step-up', '/second-factor/step-up');
    await visitor.giveCode(readWrongPin(site));
    expect(readNotice(await visitor.open('/second-factor/code'))).toContain(
      'That code is not correct.',
    );
    await visitor.submit('/second-factor/code', '/second-factor/cancel');
    expect((await visitor.open('/account')).status).toBe(200);
    expect((await visitor.open('/settings')).headers.location).toBe('/second-factor/step-up');
  });

  it('keep what the session holds through the new code', async () => {
    await visitor.submit('/transfer', '/transfer', { payee: 'Marina Books', amount: '25.00' });
    await visitor.approve(readPin(site));
    site.advanceSeconds(301);
    await visitor.open('/settings');
    await visitor.submit('/second-factor/step-up', '/second-factor/step-up');
    await visitor.giveCode(readPin(site));
    expect((await visitor.open('/account')).text).toContain('Marina Books');
  });
});
