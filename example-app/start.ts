import { existsSync } from 'node:fs';
import { ConfigError, readConfig } from './config';
import { run, type RunningSite } from './run';
import { DEMO_PASSWORD } from './users';

/** `npm run example` */
async function start(): Promise<void> {
  if (existsSync('.env')) process.loadEnvFile('.env');
  const site = await run(readConfig(process.env));
  console.log(describe(site));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      site.close().then(() => console.log('Stopped.'), explain);
    });
  }
}

function describe({ address, inboxUrl }: RunningSite): string {
  return [
    `Harbour Credit Union  ${address}`,
    `Demo users            alice or bob, password ${DEMO_PASSWORD}`,
    `Text messages         ${inboxUrl ?? 'go through the gateway to ALICE_PHONE and BOB_PHONE'}`,
    'Stop with Ctrl+C.',
  ].join('\n');
}

function explain(error: unknown): void {
  console.error(error instanceof ConfigError ? error.message : error);
  process.exitCode = 1;
}

start().catch(explain);
