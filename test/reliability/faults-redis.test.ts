import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeWithService } from '../services/describe-with-service';
import { MOMENTS, type StateFault } from './support/faults-moments';
import { startFaultyRedis, type FaultyRedis } from './support/faults-redis-server';
import { startStage, type Stage } from './support/faults-stage';
import { startServer, type StateServer } from './support/state-server';

let redis: FaultyRedis;
let finishLoading: () => Promise<void>;

function command(...words: readonly [string, ...string[]]): () => Promise<void> {
  return async () => {
    await redis.command(...words);
  };
}
const nothing = (): Promise<void> => Promise.resolve();

const FAULTS: readonly StateFault[] = [
  {
    title: 'is stopped for a while',
    effect: 'refused',
    losesData: false,
    strike: () => Promise.resolve(redis.service.freeze()),
    heal: () => Promise.resolve(redis.service.thaw()),
  },
  {
    title: 'is killed, and comes back empty',
    effect: 'refused',
    losesData: true,
    strike: () => redis.service.crash(),
    heal: () => redis.service.restart(),
  },
  {
    title: 'forgets everything',
    effect: 'unnoticed',
    losesData: true,
    strike: command('FLUSHALL'),
    heal: nothing,
  },
  {
    title: 'forgets its scripts',
    effect: 'unnoticed',
    losesData: false,
    strike: command('SCRIPT', 'FLUSH'),
    heal: nothing,
  },
  {
    title: 'only reads',
    effect: 'refused',
    losesData: false,
    strike: command('REPLICAOF', '127.0.0.1', '1'),
    heal: command('REPLICAOF', 'NO', 'ONE'),
  },
  {
    title: 'is full',
    effect: 'refused',
    losesData: false,
    strike: command('CONFIG', 'SET', 'maxmemory', '1'),
    heal: command('CONFIG', 'SET', 'maxmemory', '0'),
  },
  {
    title: 'loads its data',
    effect: 'refused',
    losesData: false,
    strike: async () => {
      finishLoading = await redis.beginLoading();
    },
    heal: () => finishLoading(),
  },
];

describeWithService('redis')('the app, when the Redis of its store', () => {
  let sessions: StateServer;
  beforeAll(async () => {
    sessions = await startServer('redis');
    redis = await startFaultyRedis();
  });
  afterAll(async () => {
    await sessions.close();
    await redis.close();
  });

  describe.each(['node-redis', 'ioredis'] as const)('is reached by %s and', (library) => {
    let stage: Stage;
    beforeAll(async () => {
      await redis.command('FLUSHALL');
      // Sessions outlive whatever befalls the store: what they still know must open no door.
      const state = { ...sessions.state, storePort: redis.service.port, library } as const;
      stage = await startStage({ state, variant: library === 'ioredis' ? 'B' : 'A' }, redis);
      await stage.expectLogin(stage.newcomer().user);
    });
    afterAll(() => stage.close());

    describe.each(FAULTS)('$title', (fault) => {
      it.each(MOMENTS)('$title', async ({ play }) => {
        await expect(play(stage, fault)).resolves.toBeUndefined();
      });
    });
  });
});
