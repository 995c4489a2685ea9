import { expect, it } from '@jest/globals';
import { MemoryStore, type SessionData } from 'express-session';
import { startSite } from './site';
import { readPin, Visitor } from './visitor';

/** Counts what a login asks of the session store. */
class CountingStore extends MemoryStore {
  readonly calls = { get: 0, set: 0, destroy: 0 };

  override get(id: string, done: (error: unknown, session?: SessionData | null) => void): void {
    this.calls.get += 1;
    super.get(id, done);
  }

  override set(id: string, session: SessionData, done?: (error?: unknown) => void): void {
    this.calls.set += 1;
    super.set(id, session, done);
  }

  override destroy(id: string, done?: (error?: unknown) => void): void {
    this.calls.destroy += 1;
    super.destroy(id, done);
  }
}

it('costs the session store at most four reads, five writes and two removals a login', async () => {
  const sessionStore = new CountingStore();
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
