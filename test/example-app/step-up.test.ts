import { beforeEach, describe, expect, it } from '@jest/globals';
import { useSite } from './site';
import { readContent, readNotice, readPin, readToken, readWrongPin, Visitor } from './visitor';

describe.each(['A', 'B'] as const)('the settings of the example app, gateway %s', (variant) => {
  const site = useSite({ variant });
  const visitor = new Visitor(site);
  beforeEach(() => visitor.logIn());

  it('open while the code is fresh', async () => {
    const page = await visitor.open('/settings');
    expect(page.status).toBe(200);
    expect(page.text).toContain('Number ending in 23');
    expect(readContent(page)).not.toContain('0123');
  });

  it('ask for a new code after five minutes and come back to where it was asked', async () => {
    site.advanceSeconds(301);
    expect((await visitor.open('/settings')).headers.location).toBe('/step-up');
    expect((await visitor.open('/step-up')).text).toContain('number ending in 23');
    expect((await visitor.submit('/step-up', '/step-up')).headers.location).toBe('/login/pin');
    expect((await visitor.open('/login/pin')).text).toContain('Confirm it’s you');
    expect((await visitor.giveCode(readPin(site))).headers.location).toBe('/settings');
    expect((await visitor.open('/settings')).status).toBe(200);
  });

  it.each([
    '/settings/phones',
    '/settings/phones/change',
    '/settings/phones/remove',
    '/settings/phones/default',
    '/settings/recovery-codes',
    '/settings/devices/forget',
    '/settings/devices/forget-all',
  ])('refuse %s when the code has grown too old with the page open', async (path) => {
    const page = await visitor.open('/settings');
    const phoneId = /name="phoneId" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
    site.advanceSeconds(301);
    const form = { _csrf: readToken(page), phone: '+12025550130', phoneId, deviceId: 'any' };
    expect((await visitor.post(path, form)).headers.location).toBe('/settings');
    expect(site.simulator.outbox).toHaveLength(1);
  });

  it('leave the user logged in after a wrong code and after cancel', async () => {
    site.advanceSeconds(301);
    await visitor.open('/settings');
    await visitor.submit('/step-up', '/step-up');
    await visitor.giveCode(readWrongPin(site));
    expect(readNotice(await visitor.open('/login/pin'))).toContain('That code is not right.');
    await visitor.submit('/login/pin', '/login/cancel');
    expect((await visitor.open('/account')).status).toBe(200);
    expect((await visitor.open('/settings')).headers.location).toBe('/step-up');
  });

  it('keep what the session holds through the new code', async () => {
    await visitor.submit('/transfer', '/transfer', { payee: 'Marina Books', amount: '25.00' });
    await visitor.answerCode(readPin(site));
    site.advanceSeconds(301);
    await visitor.open('/settings');
    await visitor.submit('/step-up', '/step-up');
    await visitor.giveCode(readPin(site));
    expect((await visitor.open('/account')).text).toContain('Marina Books');
  });
});
