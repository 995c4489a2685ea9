import { expect } from '@jest/globals';
import type { Charge } from 'passport-sms-otp';
import { testClock } from '../../support/clock';
import { tamperedStore, type TamperedStore } from '../../support/tampered-store';
import { ALICE, BOB, startTestApp, type TestApp } from '../../support/test-app';
import { visit, type Visit } from '../../support/visit';
import { BROWSERS, sessionOf, type Model } from './model';

/** `logins.checkEverySeconds` */
const CHECK_SECONDS = 30;

/** The app under test, with its browsers. */
export interface Real {
  readonly test: TestApp;
  readonly tampered: TamperedStore;
  browsers: Visit[];
}

/** Starts the app; runs share it, each with a store and browsers of its own. */
export async function startReal(variant: 'A' | 'B'): Promise<Real> {
  const clock = testClock();
  const tampered = tamperedStore(clock);
  const test = await startTestApp({
    variant,
    clock,
    // The token's life is not what is tested here: it is measured by the real clock, like the
    // simulator's.
    gateway: { now: () => Date.now() },
    options: {
      store: tampered.store,
      allowedCountries: 'any',
      // What is per user and per code is what the model knows.
      limits: {
        perAddress: { max: 100_000, maxUnproven: 100_000 },
        perPrefix: { max: 100_000, maxUnproven: 1_000 },
        total: { max: 1_000_000 },
      },
    },
  });
  return { test, tampered, browsers: [] };
}

export function beginRun({ test, tampered, ...real }: Real): Real {
  tampered.lose();
  tampered.calls.length = test.events.length = test.errors.length = test.logins.length = 0;
  test.sim.clearFaults();
  test.clock.advanceSeconds(60);
  return {
    ...real,
    test,
    tampered,
    browsers: Array.from({ length: BROWSERS }, () => visit(test, ALICE)),
  };
}

export function browserOf({ browsers }: Real, index: number): Visit {
  const browser = browsers[index];
  if (browser === undefined) throw new Error('there is no such browser');
  return browser;
}

/** The pin of an OTP id, as the phone got it. */
export function pinOf({ test }: Real, otpId: string | null | undefined): string {
  return test.sim.outbox.findLast(({ id }) => id === otpId)?.pin ?? '0000000000';
}

export const personOf = (id: string): typeof ALICE => (id === 'bob' ? BOB : ALICE);

/** What must hold after every step, whatever it was. */
export async function checkInvariants(
  model: Model,
  real: Real,
  generatesBefore: number,
): Promise<void> {
  const { test, tampered } = real;
  const { calls, validatesById, validated } = test.sim.stats();
  expect(Math.max(0, ...Object.values(validatesById))).toBeLessThanOrEqual(5);
  expect(Math.max(0, ...model.entries.values())).toBeLessThanOrEqual(1);
  expect(calls.generate - generatesBefore).toBeLessThanOrEqual(await countChargedSends(tampered));
  const verified = test.events.filter(({ type }) => type === 'verified').length;
  expect(verified).toBe(model.entries.size);
  expect(validated).toBeGreaterThanOrEqual(verified);
  for (const [id, { failures }] of Object.entries(model.users)) {
    const told = test.events.findLast(
      (event) => event.type === 'failure-count-changed' && event.userId === id,
    );
    // A store that was lost tells nobody.
    if (failures > 0) expect(told).toMatchObject({ failures });
  }
}

/** Sends that were charged: decisions over many counters that refused none. */
async function countChargedSends({ calls }: TamperedStore): Promise<number> {
  const charges = calls.filter(
    ({ call, given: [counters] }) => call === 'charge' && lengthOf(counters) > 1,
  );
  const answers = await Promise.all(charges.map(({ answer }) => answer as Promise<Charge>));
  return answers.filter(({ refusedBy }) => refusedBy === null).length;
}

function lengthOf(list: unknown): number {
  return Array.isArray(list) ? list.length : 0;
}

/** The session of a browser is what the model thinks. */
export async function checkSession(model: Model, real: Real, index: number): Promise<void> {
  const { user, mark, lostAt, pending } = sessionOf(model, index);
  const { body } = await browserOf(real, index).status();
  expect(body.isAuthenticated).toBe(user !== null);
  const isMarked = mark !== null && mark === user;
  if (lostAt === null) expect(body.hasSecondFactor).toBe(isMarked);
  else if (model.now - lostAt > CHECK_SECONDS) expect(body.hasSecondFactor).toBe(false);
  const isOver = pending !== null && pending.pendingUntil <= model.now;
  const shown = body.session?.pending;
  expect([shown?.pendingId, shown?.otpId ?? null]).toEqual([
    pending?.pendingId,
    pending?.otpId ?? null,
  ]);
  expect(body.pending?.purpose ?? null).toBe(isOver ? null : (pending?.purpose ?? null));
}
