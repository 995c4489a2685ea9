import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { GatewaySimulator } from 'passport-sms-otp/simulator';
import { openRedis } from '../../example-app/stores';
import type { RunningSite } from '../../example-app/start';
import { describeWithService } from '../services/describe-with-service';
import { useServer } from '../services/use-service';
import { redis } from './backends';
import { runSite } from './run-site';
import { readPin, Visitor } from './visitor';
import { waitFor } from './wait-for';

let simulator: GatewaySimulator;
let log: string[];

beforeEach(async () => {
  simulator = await GatewaySimulator.start();
  log = [];
  jest.spyOn(console, 'error').mockImplementation((line: unknown) => void log.push(String(line)));
});

afterEach(async () => {
  jest.restoreAllMocks();
  await simulator.close();
});

describe.each([redis])('the example app with $variable', (backend) => {
  describeWithService(backend.service)('and a server there', () => {
    const server = useServer(backend.start);
    let site: RunningSite;
    let visitor: Visitor;

    beforeEach(async () => {
      site = await runSite(simulator, { [backend.variable]: backend.addressOf(server.port) });
      visitor = new Visitor({ app: site.address, simulator });
    });

    afterEach(() => site.close());

    it('keeps sessions and the state of a login there', async () => {
      const { sessions, waiting, counters } = await backend.count(server.port);
      await visitor.givePassword();
      const during = await backend.count(server.port);
      expect(during).toMatchObject({ sessions: sessions + 1, waiting: waiting + 1 });
      expect(during.counters).toBeGreaterThan(counters);
      expect((await visitor.giveCode(readPin({ simulator }))).headers.location).toBe('/account');
      expect((await visitor.open('/account')).text).toContain('Hello, Alice');
      // The pending login stays there, marked as passed, until its end.
      expect(await backend.count(server.port)).toMatchObject({ sessions: sessions + 1 });
    });

    it('answers 503 while the server is away, and works again when it is back', async () => {
      await server.crash();
      const answer = await visitor.open('/login');
      expect(answer.status).toBe(503);
      expect(answer.text).toContain('We can’t do that right now');
      await server.restart();
      await waitFor(async () => (await visitor.open('/login')).status === 200);
      expect((await visitor.givePassword('bob')).headers.location).toBe('/second-factor/code');
      expect(log.join('\n')).not.toMatch(/127\.0\.0\.1|[\d+]2025550124/);
    });

    it('answers 503 while the server is silent, and works again when it answers', async () => {
      await visitor.open('/login');
      const endSilence = await backend.silence(server);
      expect((await visitor.open('/login')).status).toBe(503);
      await endSilence();
      await waitFor(async () => (await visitor.open('/login')).status === 200);
    });
  });
});

describeWithService('redis')('the example app that stops', () => {
  const server = useServer(redis.start);

  it('says nothing of a ping that waits for its reply', async () => {
    const stores = await openRedis(redis.addressOf(server.port), () => undefined);
    server.freeze();
    await wait(1_200); // A ping goes out every second.
    stores.close();
    await wait(50);
    expect(log).toEqual([]);
  });
});
