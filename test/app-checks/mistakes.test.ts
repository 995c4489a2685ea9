import { describe, expect, it } from '@jest/globals';
import { appChecks, HOLES } from 'passport-sms-otp/testing';
import { describeInCompleteRun } from '../support/complete-run';
import { askAll } from './support/ask-all';
import { describeBaseApp, passwordOf, PRIVATE_KEY, USERS } from './support/base-app';
import { PLANTS } from './planted/plants';
import { MISTAKES } from './support/mistakes';
import { useGateway } from './support/use-gateway';

const mistakes = MISTAKES.map((planted) => [planted.hole, planted.title, planted] as const);

describe('a mistake in an app', () => {
  const gateway = useGateway();

  it.each(mistakes)('is found by the name of its hole, %s: %s', async (hole, _title, planted) => {
    const checks = appChecks(describeBaseApp(gateway, planted));
    const { failures } = await askAll(checks.filter(({ holes }) => holes.includes(hole)));
    const named = failures.filter((failure) => failure.hole === hole);
    expect(named).not.toEqual([]);
    for (const { message, done } of named) {
      expect(done.length).toBeGreaterThan(0);
      const codes = gateway.simulator.outbox.map(({ pin }) => pin);
      const secrets = [...USERS.flatMap(({ name, phone }) => [name, phone, passwordOf(name)])];
      const hidden = [...secrets, ...codes, PRIVATE_KEY, gateway.simulator.password];
      expect(hidden.filter((text) => message.includes(text))).toEqual([]);
    }
  });

  it('is planted for every hole that has a name', () => {
    const planted = new Set<unknown>([...MISTAKES, ...PLANTS].map(({ hole }) => hole));
    expect([...planted].sort()).toEqual(Object.keys(HOLES).sort());
  });
});

describeInCompleteRun('all checks of an app with one mistake', () => {
  const gateway = useGateway();

  it.each(mistakes)(
    'find nothing but %s and what comes with it: %s',
    async (hole, _title, planted) => {
      const { failures } = await askAll(appChecks(describeBaseApp(gateway, planted)));
      const found = new Set(failures.flatMap((failure) => failure.hole ?? []));
      expect([...found].sort()).toEqual([hole, ...(planted.also ?? [])].sort());
    },
  );
});
