import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { connectionOf } from '../services/postgres';
import { describeWithService } from '../services/describe-with-service';
import { MOMENTS, type StateFault } from './support/faults-moments';
import { startStage, type Stage } from './support/faults-stage';
import { startServer, type StateServer } from './support/state-server';

const TABLES = [
  ...['sms_otp_pending_login', 'sms_otp_record', 'sms_otp_turn', 'sms_otp_counter'],
  'sms_otp_token',
].join(', ');
const RUNNING = `SELECT pid FROM pg_stat_activity
  WHERE backend_type = 'client backend' AND state = 'active' AND pid <> pg_backend_pid()`;
const END_OTHERS = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`;

let server: StateServer;
let holder: Client;

/** One connection past the library and its pool. */
async function query(...texts: readonly string[]): Promise<Client> {
  const client = new Client(connectionOf(server.service.port));
  client.on('error', () => undefined);
  await client.connect();
  for (const text of texts) await client.query(text);
  return client;
}
async function run(...texts: readonly string[]): Promise<void> {
  await (await query(...texts)).end();
}

/** What the app has given up waiting for may still be carried out, such as what is given back. */
async function waitForLateStatements(): Promise<void> {
  const client = await query();
  let running: number | null;
  do running = (await client.query(RUNNING)).rowCount;
  while (running !== 0);
  await client.end();
}

const FAULTS: readonly StateFault[] = [
  {
    title: 'is killed, and comes back with its data',
    effect: 'refused',
    losesData: false,
    strike: () => server.service.crash(),
    heal: () => server.service.restart(),
  },
  {
    title: 'is killed, and is back at once',
    effect: 'either',
    losesData: false,
    strike: () => server.service.restart(),
    heal: () => Promise.resolve(),
  },
  {
    title: 'does not answer while its tables are locked',
    effect: 'refused',
    losesData: false,
    strike: async () => {
      holder = await query('BEGIN', `LOCK ${TABLES} IN ACCESS EXCLUSIVE MODE`);
    },
    heal: async () => {
      await holder.end();
      await waitForLateStatements();
    },
  },
  {
    title: 'only reads',
    effect: 'refused',
    losesData: false,
    strike: () => run('ALTER DATABASE postgres SET default_transaction_read_only = on', END_OTHERS),
    heal: () =>
      run(
        'SET default_transaction_read_only = off',
        'ALTER DATABASE postgres RESET default_transaction_read_only',
        END_OTHERS,
      ),
  },
  {
    title: 'is emptied',
    effect: 'unnoticed',
    losesData: true,
    strike: () => run(`TRUNCATE ${TABLES}`),
    heal: () => Promise.resolve(),
  },
];

describeWithService('postgres')('the app, when the PostgreSQL of its store', () => {
  let sessions: StateServer;
  let stage: Stage;
  beforeAll(async () => {
    [sessions, server] = await Promise.all([startServer('postgres'), startServer('postgres')]);
    // Sessions outlive whatever befalls the store: what they still know must open no door.
    const { port } = sessions.service;
    const state = { kind: 'postgres', port, storePort: server.service.port } as const;
    stage = await startStage({ state, variant: 'B' }, server);
    await stage.expectLogin(stage.newcomer().user);
  });
  afterAll(async () => {
    await stage.close();
    await sessions.close();
    await server.close();
  });

  describe.each(FAULTS)('$title', (fault) => {
    it.each(MOMENTS)('$title', async ({ play }) => {
      await expect(play(stage, fault)).resolves.toBeUndefined();
    });
  });
});
