import { describe, expect, it } from '@jest/globals';
import { appChecks } from 'passport-sms-otp/testing';
import { isCompleteRun } from '../support/complete-run';
import { PLANTS } from './planted/plants';
import { describeShop } from './planted/shop';
import { askAll } from './support/ask-all';
import { useGateway } from './support/use-gateway';

describe('a small app with one hole', () => {
  const gateway = useGateway();

  it.each(PLANTS.map((plant) => [plant.title, plant] as const))('%s', async (_title, plant) => {
    const checks = appChecks(describeShop(gateway, plant));
    // A short run makes the checks that look for this hole; the complete run makes all.
    const asked = checks.filter(
      ({ holes }) => isCompleteRun || (plant.hole !== null && holes.includes(plant.hole)),
    );
    const { failures } = await askAll(asked);
    const found = new Set(failures.map((failure) => failure.hole ?? failure.message));
    const also = isCompleteRun ? (plant.also ?? []) : [];
    expect([...found].sort()).toEqual([plant.hole, ...also].sort());

    const pages = failures.flatMap((failure) => failure.pages);
    expect(pages).toEqual(expect.arrayContaining(plant.at === undefined ? [] : [plant.at]));
  });

  it('is planted thirty times', () => {
    expect(PLANTS).toHaveLength(30);
  });
});
