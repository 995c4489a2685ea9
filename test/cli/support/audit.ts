import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { GatewayClient } from 'passport-sms-otp/client';
import type { GatewaySimulator } from 'passport-sms-otp/simulator';
import {
  describeBaseApp,
  type Mistake,
  passwordOf,
  PRIVATE_KEY,
  SESSION_COOKIE,
  USERS,
} from '../../app-checks/support/base-app';
import { closeLater } from '../../client/support/cleanup';
import { makeFolder, type Folder } from './files';
import { type Ended, runCli, type TerminalOptions } from './terminal';

export const FILE = 'passport-sms-otp.audit.json';
export const GATEWAY_PASSWORD = 'pass-phrase-of-the-gateway';

/** A port that nothing listens on. */
export async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** What describes the base app in a file. */
export function configOf(port: number, changed: object = {}): string {
  return JSON.stringify({
    users: USERS.map(({ name, phone }) => ({ name, phone, password: passwordOf(name) })),
    login: { path: '/login' },
    code: { path: '/login/pin' },
    guarded: ['/account', '/settings', { path: '/transfer', method: 'POST', page: '/account' }],
    sessionCookie: SESSION_COOKIE,
    proxy: { hops: 1, https: true },
    secrets: ['$PRIVATE_KEY'],
    logout: { path: '/logout', page: '/account' },
    logInAs: {
      by: { name: 'root', phone: '+16175550199', password: passwordOf('root') },
      request: { path: '/log-in-as', page: '/account', fields: { username: '{name}' } },
    },
    simulator: { port, password: GATEWAY_PASSWORD },
    ...changed,
  });
}

interface Audited extends Ended {
  readonly folder: Folder;
}

/** Audits the base app, which runs with the simulator's address as its gateway. */
export async function auditApp(
  mistake: Mistake,
  argv: readonly string[],
  { changed = {}, ...options }: TerminalOptions & { readonly changed?: object } = {},
): Promise<Audited> {
  const port = await findFreePort();
  const client = new GatewayClient({
    baseUrl: `http://127.0.0.1:${port}`,
    variant: 'A',
    username: 'demo',
    password: GATEWAY_PASSWORD,
  });
  closeLater(() => client.close());
  // The app uses the client alone: the simulator is that of the command.
  const gateway = { client, simulator: undefined as unknown as GatewaySimulator };
  const { baseUrl, close } = await describeBaseApp(gateway, mistake).start();
  closeLater(async () => {
    await close();
  });
  const folder = makeFolder();
  folder.write(FILE, configOf(port, changed));
  const env = { PRIVATE_KEY };
  const ended = await runCli(['audit', baseUrl, ...argv], { folder: folder.path, env, ...options });
  return { ...ended, folder };
}

export const only = (...holes: string[]): string[] => holes.flatMap((hole) => ['--only', hole]);
