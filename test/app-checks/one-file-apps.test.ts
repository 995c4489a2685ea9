import { describe, expect, it } from '@jest/globals';
import { type AppDescription, appChecks } from 'passport-sms-otp/testing';
import { readBlocks } from '../docs/support/blocks';
import { readPage } from '../docs/support/pages';
import { isCompleteRun } from '../support/complete-run';
import { askAll } from './support/ask-all';
import { compileScript, runScript } from './support/run-script';
import { useGateway } from './support/use-gateway';

const BOB = { name: 'bob', phone: '+13125550177' };
const quickStart = readBlocks(readPage('docs/quick-start.md')).find(({ notes }) =>
  notes.includes('named: app.mjs'),
);

/** A second user for checks that need two: the program has `alice` alone. */
function addBob(code: string): string {
  const bob = `['bob', { id: 'bob', name: 'Bob', phone: '${BOB.phone}', secret: 'demo-password' }]`;
  const changed = code.replace(/users = new Map\(\[/, `users = new Map<string, any>([${bob}, `);
  expect(changed).not.toBe(code);
  return changed;
}

const QUICK_START = {
  users: [{ name: 'alice', phone: '+12025550123' }, BOB],
  login: { path: '/login', password: () => 'demo-password' },
  code: { path: '/second-factor/code' },
  resend: { path: '/second-factor/resend', page: '/second-factor/code' },
  cancel: { path: '/second-factor/cancel', page: '/second-factor/code' },
  guarded: ['/'],
  logout: { path: '/logout', page: '/' },
} as const;

/** Checks that a run makes; the complete run makes all. */
const PARTS = isCompleteRun ? 1 : 2;
const FEWEST = 38;

describe('the checks of an app pass for', () => {
  const gateway = useGateway();

  it('the quick start', async () => {
    const script = compileScript(addBob(quickStart?.code ?? ''));
    const app: AppDescription = {
      ...QUICK_START,
      start: () => runScript(script, gateway.simulator),
      simulator: () => gateway.simulator,
    };
    const checks = appChecks(app).filter((_check, index) => index % PARTS === 0);
    const { passed, failures } = await askAll(checks);
    expect(failures.map(({ message }) => message)).toEqual([]);
    expect(passed.length).toBeGreaterThan(FEWEST / PARTS);
  });
});
