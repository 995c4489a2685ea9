import { beforeEach, describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { countEvents } from '../../docs/recipes/prometheus';
import { visit } from '../support/visit';
import { useSharedApp } from '../support/use-app';

describe('the recipe for prom-client', () => {
  const register = new Registry();
  const test = useSharedApp({ options: { onEvent: countEvents(register) } });

  beforeEach(async () => {
    register.resetMetrics();
    const alice = visit(test);
    await alice.login();
    await alice.enterWrong();
    await alice.enterRight();
  });

  it('counts events by type and reason or method, and times the calls to the gateway', async () => {
    const lines = (await register.metrics()).split('\n');
    expect(lines).toEqual(
      expect.arrayContaining([
        'sms_otp_events_total{type="sent",detail="sms"} 1',
        'sms_otp_events_total{type="rejected",detail="wrong-code"} 1',
        'sms_otp_events_total{type="verified",detail="sms"} 1',
        'sms_otp_events_total{type="decision-ended",detail="verified"} 1',
        'sms_otp_gateway_seconds_count{type="validate",detail="rejected"} 1',
        'sms_otp_gateway_seconds_count{type="validate",detail="ok"} 1',
      ]),
    );
  });

  it('has no label that names a user, a number or an address', async () => {
    const labels = new Set(
      Array.from((await register.metrics()).matchAll(/(\w+)="/g), ([, label]) => label),
    );
    expect([...labels].sort()).toEqual(['detail', 'le', 'type']);
    expect(await register.metrics()).not.toMatch(/alice|127\.0\.0\.1|2025550123/);
  });
});
