import { expect, it } from '@jest/globals';
import { CountingSessionStore } from '../support/counting-session-store';
import { startSite } from './site';
import { readPin, Visitor } from './visitor';

it('costs the session store at most four reads, five writes and two removals a login', async () => {
  const sessionStore = new CountingSessionStore();
  const site = await startSite({ sessionStore });
  const visitor = new Visitor(site);
  await visitor.givePassword();
  await visitor.giveCode(readPin(site));
  expect((await visitor.open('/account')).status).toBe(200);
  expect(sessionStore.calls.get).toBeLessThanOrEqual(4);
  expect(sessionStore.calls.set).toBeLessThanOrEqual(5);
  expect(sessionStore.calls.destroy).toBeLessThanOrEqual(2);
  await site.close();
});
