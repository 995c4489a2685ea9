import { expect, it } from '@jest/globals';
import { chooseSmsGateway } from './sms-provider';
import { useOwnApps } from './use-app';
import { visit } from './visit';

// Imported before other suites, runs them with `smsGateway` in place of the client.
chooseSmsGateway();

const test = useOwnApps();

it('no client is asked here, whose calls would be events', async () => {
  await test.start();
  const visitor = visit(test);
  await visitor.login();
  expect((await visitor.enterRight()).status).toBe(200);
  const types = test.events.map(({ type }) => type);
  expect(types).toContain('verified');
  expect(types).not.toContain('gateway-call');
});
