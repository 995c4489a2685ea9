import { connect } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { DEFAULT_READINGS } from '../../src/simulator/readings';
import { BoundedMap } from '../../src/bounded-map';
import { cryptoRandomness } from '../../src/simulator/options';
import { createClock } from '../../src/simulator/state';
import { Outbox } from '../../src/simulator/state/history';
import { IssuedTokens } from '../../src/simulator/state/issued-tokens';
import { ALICE, PATHS, start, startLoggedIn } from './gateway';

/** Waits until something holds, for at most five seconds. */
async function until(holds: () => boolean | Promise<boolean>): Promise<boolean> {
  for (let round = 0; round < 500; round += 1) {
    if (await holds()) return true;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return false;
}

function countHandles(): number {
  return process.getActiveResourcesInfo().filter((name) => /TCP|Timeout/.test(name)).length;
}

function isRefused(baseUrl: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1');
    socket.on('connect', () => resolve(false)).on('error', () => resolve(true));
    socket.on('connect', () => socket.destroy());
  });
}

describe('the end of a simulator', () => {
  it('leaves no socket and no timer, whatever was under way', async () => {
    const before = countHandles();
    const gateway = await startLoggedIn();
    const { sim } = gateway;
    sim.failNext('balance', 'no-answer');
    sim.failNext('balance', { kind: 'latency', ms: 60_000 });
    sim.failNext('balance', { kind: 'slow-drip', intervalMs: 60_000 });
    const underWay = [1, 2, 3].map(() => gateway.balance().catch(() => 'broken'));
    const stream = await fetch(`${sim.baseUrl}/inbox/events`);
    const streamed = stream.text().catch(() => 'broken');
    expect(await until(() => sim.stats().faults === 3)).toBe(true);
    await sim.close();
    await sim.close();
    expect(await Promise.all(underWay)).toEqual(['broken', 'broken', 'broken']);
    await streamed;
    expect(await isRefused(sim.baseUrl)).toBe(true);
    expect(await until(() => countHandles() <= before)).toBe(true);
  });

  it('does not touch another simulator', async () => {
    const one = await startLoggedIn();
    const other = await startLoggedIn();
    await one.generate();
    await one.sim.close();
    expect((await other.balance()).body.payload).toEqual({ balance: '100.0000' });
    expect(other.sim.outbox).toHaveLength(0);
  });
});

describe('a long run', () => {
  it('keeps the newest 1,000 messages and still knows the last pins', () => {
    const outbox = new Outbox();
    const message = { id: '1', sender: 'AB', text: '', sentAt: 0, cost: '0' };
    for (let sent = 0; sent <= 1_500; sent += 1) {
      outbox.add({ ...message, mobile: `+${12025550000 + sent}`, pin: String(sent) });
    }
    expect(outbox.messages).toHaveLength(1_000);
    expect([outbox.messages[0]?.pin, outbox.messages.at(-1)?.pin]).toEqual(['501', '1500']);
    expect(outbox.lastPin('12025550000')).toBe('0');
  });

  it('keeps the number of tokens bounded when no reading ends them', () => {
    const readings = {
      ...DEFAULT_READINGS,
      refreshEndsAccessToken: false,
      refreshEndsRefreshToken: false,
    };
    const tokens = new IssuedTokens(
      createClock(() => 0),
      readings,
      cryptoRandomness,
    );
    const first = tokens.login(1800, false);
    const refreshed = Array.from({ length: 2_100 }, () => tokens.refresh(first.refreshToken ?? ''));
    expect(tokens.isActive(first.accessToken)).toBe(false);
    expect(tokens.isActive(refreshed[1_500]?.accessToken ?? '')).toBe(true);
    expect(refreshed.at(-1)).toBeNull();
  });

  it('forgets the oldest entries of its tables and keeps the newest', () => {
    const map = new BoundedMap<number, number>(100);
    for (let key = 0; key < 10_000; key += 1) map.set(key, key);
    expect(map.entries().size).toBeLessThanOrEqual(200);
    for (let key = 9_900; key < 10_000; key += 1) expect(map.get(key)).toBe(key);
    expect(map.get(0)).toBeUndefined();
  });

  it('refuses a body beyond 64 KiB and reads on', async () => {
    const gateway = await start();
    const reply = await gateway.post(PATHS.auth, {
      type: 'access_token',
      username: 'x'.repeat(70_000),
    });
    expect(reply.status).toBe(400);
    expect((await gateway.logIn()).validity_period).toBe(1800);
  });

  it('refuses to go back in time', async () => {
    const { sim } = await start();
    for (const seconds of [-1, NaN, Infinity])
      expect(() => sim.advanceSeconds(seconds)).toThrow(RangeError);
  });

  it('has no pin for a number that never got one', async () => {
    expect((await start()).sim.lastPin(ALICE)).toBeUndefined();
  });
});
