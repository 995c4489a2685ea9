import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { describe, it } from '@jest/globals';
import { MemoryStore } from 'express-session';
import { Passport, type PassportStatic } from 'passport';
import { memoryStore } from 'passport-sms-otp';
import type { RunningApp } from 'passport-sms-otp/testing';
import { createApp } from '../../docs/recipes/sockets';
import { serve } from '../app-checks/support/base-app';
import { useGateway } from '../app-checks/support/use-gateway';
import { expectChecksToPass, RECIPE_APP } from './support/pass-checks';
import { RECIPE_SECRETS, RecipeUsers } from './support/recipe-users';
import { createSocketsFront } from './support/sockets-front';

const ORIGIN = 'https://bank.example';

/**
 * What this recipe guards is no page: the sockets of `ws` and of socket.io. The front makes a page
 * of each, so that all checks can be run on them.
 */
describe('the checks pass for the sockets', () => {
  const gateway = useGateway();

  async function start(): Promise<RunningApp> {
    const server = createApp({
      ...RECIPE_SECRETS,
      users: new RecipeUsers(),
      gateway: gateway.client,
      passport: new (Passport as unknown as new () => PassportStatic)(),
      origin: ORIGIN,
      store: memoryStore(),
      sessions: new MemoryStore(),
      checkEverySeconds: 30,
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    return serve(createSocketsFront(`http://127.0.0.1:${port}`, ORIGIN), async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    });
  }

  it('of ws and of socket.io', async () => {
    const app = {
      start,
      simulator: () => gateway.simulator,
      ...RECIPE_APP,
      stepUp: { path: '/step-up' },
      logout: { path: '/logout' },
      guarded: ['/live', '/socket.io/'],
    };
    await expectChecksToPass(app, 0);
  });
});
