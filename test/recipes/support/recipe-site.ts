import { setImmediate } from 'node:timers/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { GatewayClient } from 'passport-sms-otp/client';
import { GatewaySimulator } from 'passport-sms-otp/simulator';
import supertest from 'supertest';
import type { RecipeParts } from '../../../docs/recipes/parts';
import { createStage, share, type Starter } from '../../support/stage';
import { RECIPE_SECRETS, RecipeUsers } from './recipe-users';

let browsers = 0;

/** A recipe that runs: the app, the gateway behind it, and the users. */
export interface RecipeSite {
  readonly url: string;
  readonly sim: GatewaySimulator;
  readonly users: RecipeUsers;
  readonly agent: () => ReturnType<typeof supertest.agent>;
  /** The newest code on a user's phone. */
  readonly code: (id?: string) => string;
  readonly close: () => Promise<void>;
}

/**
 * Starts a simulator and a recipe on loopback. @param create makes what answers: an Express app or
 * a Nest one.
 */
export async function startRecipe(
  variant: 'A' | 'B',
  create: (parts: RecipeParts) => RequestListener | Promise<RequestListener>,
): Promise<RecipeSite> {
  const sim = await GatewaySimulator.start({ variant });
  const { baseUrl, username, password } = sim;
  const gateway = new GatewayClient({ baseUrl, variant, username, password });
  const users = new RecipeUsers();
  const closeGateway = async (): Promise<void> => {
    await gateway.close();
    await sim.close();
  };
  const app = await Promise.resolve({ users, gateway, ...RECIPE_SECRETS })
    .then(create)
    .catch(async (error: unknown) => {
      // Else the simulator would keep the tests from ending.
      await closeGateway();
      throw error;
    });
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server that listens on a port has an address of this kind.
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}`,
    sim,
    users,
    // Two browsers never send the same headers, so that one does not join the login of the other.
    agent: () => supertest.agent(server).set('User-Agent', `browser/${(browsers += 1)}`),
    code: (id = 'alice') => sim.lastPin(users.phoneOf(id)) ?? 'none',
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await closeGateway();
      // Sockets that the server has closed end on the side of `fetch` one turn later.
      await setImmediate();
    },
  };
}

/** One recipe for all tests of a block. A test that has broken it starts another one. */
export function useRecipe(
  ...given: Parameters<typeof startRecipe>
): RecipeSite & Starter<RecipeSite, never> {
  return share(createStage(() => startRecipe(...given)));
}
