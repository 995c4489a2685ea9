import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { GatewaySimulator } from 'passport-sms-otp/simulator';
import type { Response } from 'supertest';
import { describeWithService } from '../services/describe-with-service';
import type { Service } from '../services/service';
import { redis } from './backends';
import { endChild, isRunning, startChild, type ChildSite } from './child-site';
import { PROCESS_HEADER } from './process-header';
import { settingsOf } from './run-site';
import { BOB_PHONE } from './site';
import { readPin, readToken, readWrongPin, Visitor } from './visitor';
import { waitFor } from './wait-for';

const HOOKS = [join(__dirname, 'show-process.ts')];

function processOf({ headers }: Response): number {
  return Number(headers[PROCESS_HEADER]);
}

describeWithService('redis')(
  'four processes of the example app behind one port, with Redis',
  () => {
    let server: Service;
    let simulator: GatewaySimulator;
    let child: ChildSite;
    let address: string;

    beforeAll(async () => {
      server = await redis.start();
      simulator = await GatewaySimulator.start();
      const settings = {
        WORKERS: '4',
        REDIS_URL: redis.addressOf(server.port),
        ...settingsOf(simulator),
      };
      child = startChild(settings, HOOKS);
      address = await child.address();
    });

    afterAll(async () => {
      await endChild(child);
      await simulator.close();
      await server.close();
    });

    it('share a login: its requests are answered by several of them', async () => {
      const visitor = new Visitor({ app: address, simulator });
      const answers = [
        await visitor.givePassword(),
        await visitor.giveCode(readPin({ simulator })),
      ];
      answers.push(await visitor.open('/account'), await visitor.open('/transfer'));
      expect(answers.map(({ status }) => status)).toEqual([303, 303, 200, 200]);
      const processes = new Set(answers.map(processOf));
      expect(processes.size).toBeGreaterThan(1);
      expect(processes).not.toContain(child.processId);
    });

    it('judge five of a hundred wrong codes given at once, and then no right one', async () => {
      const visitor = new Visitor({ app: address, simulator });
      await visitor.givePassword('bob');
      const [right, wrong] = [
        readPin({ simulator }, BOB_PHONE),
        readWrongPin({ simulator }, BOB_PHONE),
      ];
      const _csrf = readToken(await visitor.open('/second-factor/code'));
      const judgedBefore = simulator.stats().calls.validate;

      const guesses = Array.from({ length: 100 }, () =>
        visitor.post('/second-factor/code', { _csrf, pin: wrong }),
      );
      const answers = await Promise.all(guesses);
      const judged = simulator.stats().calls.validate - judgedBefore;
      expect(judged).toBeGreaterThan(0);
      expect(judged).toBeLessThanOrEqual(5);
      expect(new Set(answers.map(({ headers }) => headers.location))).toEqual(
        new Set(['/second-factor/code']),
      );
      expect(new Set(answers.map(processOf)).size).toBe(4);

      const answer = await visitor.post('/second-factor/code', { _csrf, pin: right });
      expect(answer.headers.location).toBe('/second-factor/code');
      expect((await visitor.open('/account')).headers.location).toBe('/second-factor/code');
      expect(simulator.stats().calls.validate - judgedBefore).toBe(judged);
    });

    it('are four again after one has died, and go on meanwhile', async () => {
      const visitor = new Visitor({ app: address, simulator });
      const before = await meetProcesses(visitor, 4);
      const [victim = 0] = before;
      process.kill(victim, 'SIGKILL');
      await waitFor(() => Promise.resolve(child.output().includes(`Worker ${victim} ended`)));
      expect((await visitor.open('/login')).status).toBe(200);
      const after = await meetProcesses(visitor, 4);
      expect(after).not.toContain(victim);
      expect([...after].filter((one) => before.has(one))).toHaveLength(3);
    });
  },
);

describeWithService('redis')('two processes of the example app, with the simulator', () => {
  let server: Service;
  let child: ChildSite;

  beforeAll(async () => {
    server = await redis.start();
    child = startChild({ WORKERS: '2', REDIS_URL: redis.addressOf(server.port) }, HOOKS);
  });

  afterAll(async () => {
    await endChild(child);
    await server.close();
  });

  it('share the simulator and the session secret, and stop cleanly at Ctrl+C', async () => {
    const visitor = new Visitor({ app: await child.address() });
    const processes = await meetProcesses(visitor, 2);
    await visitor.givePassword();
    await visitor.giveCode(await readInbox(child));
    expect((await visitor.open('/account')).text).toContain('Hello, Alice');
    child.killGroup('SIGINT');
    expect(await child.ended).toEqual([0, null]);
    expect(child.output().match(/Stopped\./g)).toHaveLength(1);
    expect(child.output()).not.toContain('ended');
    expect([...processes].filter(isRunning)).toEqual([]);
  });
});

/** Opens a page until so many processes have answered. */
async function meetProcesses(visitor: Visitor, count: number): Promise<ReadonlySet<number>> {
  const met = new Set<number>();
  await waitFor(async () => met.add(processOf(await visitor.open('/'))).size === count);
  return met;
}

/** The code in the only text that the simulator has sent. */
async function readInbox(child: ChildSite): Promise<string> {
  const [inbox] = /http:\/\/127\.0\.0\.1:\d+\/inbox/.exec(child.output()) ?? [];
  const messages = (await (await fetch(`${inbox}/messages`)).json()) as { pin: string }[]; // the simulator's own form
  return messages[0]?.pin ?? '';
}
