import { describe, expect, it } from '@jest/globals';
import { gatewayChecks } from 'passport-sms-otp/testing';
import { type GatewayClass, ReferenceGateway, underTest } from './reference-gateway';
import { WRONG_GATEWAYS } from './wrong-gateways';

/** The titles of the checks that fail. */
const known = new Map<GatewayClass, Promise<readonly string[]>>();

function failuresOf(Gateway: GatewayClass): Promise<readonly string[]> {
  const found = known.get(Gateway) ?? findFailures(Gateway);
  known.set(Gateway, found);
  return found;
}

async function findFailures(Gateway: GatewayClass): Promise<readonly string[]> {
  const outcomes = await Promise.all(
    gatewayChecks.map(async ({ title, run }) => {
      const isHeld = await run(() => underTest(Gateway)).then(
        () => true,
        () => false,
      );
      return isHeld ? [] : [title];
    }),
  );
  return outcomes.flat();
}

describe('the gateway checks', () => {
  it('has a different title for each of at least forty checks', () => {
    expect(gatewayChecks.length).toBeGreaterThanOrEqual(40);
    expect(new Set(gatewayChecks.map(({ title }) => title)).size).toBe(gatewayChecks.length);
  });

  it('passes a right gateway', async () => {
    expect(await failuresOf(ReferenceGateway)).toEqual([]);
  });

  it.each(Object.entries(WRONG_GATEWAYS))('detects a gateway that %s', async (_what, Gateway) => {
    expect(await failuresOf(Gateway)).not.toEqual([]);
  });

  it.each(gatewayChecks)(
    'has a check that fails for a wrong gateway: $title',
    async ({ title }) => {
      const failures = await Promise.all(Object.values(WRONG_GATEWAYS).map(failuresOf));
      expect(failures.flat()).toContain(title);
    },
  );
});
