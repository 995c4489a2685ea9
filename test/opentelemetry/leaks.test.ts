import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openTelemetry } from 'passport-sms-otp/opentelemetry';
import { plantCanaries, tellAll, type Canaries } from '../support/canaries';
import { answer } from '../support/gateway-faults';
import { startTestApp, type TestApp, type TestUser } from '../support/test-app';
import { visit, type Visit } from '../support/visit';
import { startTelemetry, type Telemetry } from './telemetry';

const MOBILE = '+12025550187';
const CARLA: TestUser = { id: 'canary-user-id', phone: MOBILE };

describe.each(['A', 'B'] as const)('what is observed in variant %s', (variant) => {
  let canaries: Canaries;
  let telemetry: Telemetry;
  let test: TestApp;
  let carla: Visit;
  const told: string[] = [];
  beforeEach(async () => {
    canaries = plantCanaries(MOBILE);
    telemetry = startTelemetry();
    const observe = openTelemetry(telemetry);
    const { username, password } = canaries.simulator;
    test = await startTestApp({
      variant,
      users: [CARLA],
      simulator: canaries.simulator,
      gateway: { username, password },
      options: {
        onEvent(event) {
          told.push(tellAll(event));
          observe(event);
        },
        recoveryCodes: {},
        maxSends: 5,
      },
    });
    carla = visit(test, CARLA);
    for (const secret of [CARLA.id, '•• •• 87', '127.0.0.1']) canaries.secrets.add(secret);
  });
  afterEach(async () => {
    await test.close();
    await telemetry.close();
  });

  async function findLeaks(): Promise<string[]> {
    return canaries.find(tellAll(await telemetry.everything()));
  }

  it('names nobody and holds no secret, however the login goes', async () => {
    for (const step of [
      'login',
      'enterWrong',
      'resend',
      'enterRight',
      'stepUp',
      'enterRight',
    ] as const) {
      await carla[step]();
      test.clock.advanceSeconds(31);
    }
    for (let time = 0; time < 12; time += 1) await carla.login();
    expect(telemetry.spans().length).toBeGreaterThan(20);
    expect(await findLeaks()).toEqual([]);
    // The events do name the user, so that the search has something to find.
    expect(canaries.find(told.join())).toContain(CARLA.id);
  });

  it('holds no secret that a gateway repeats, not even as an error code', async () => {
    const digits = MOBILE.slice(1);
    const codes = [`{"code":${digits},"message":"${digits}"}`, `{"code":"${digits}"}`];
    for (const errors of codes) {
      const body = `{"status_code":400,"status_message":"${digits}","errors":[${errors}]}`;
      test.sim.failNext('generate', answer(400, body));
      await carla.login();
      test.clock.advanceSeconds(121);
    }
    test.sim.failNext(
      'generate',
      answer(200, `{"payload":{"id":"${digits}","price":"${digits}"}}`),
    );
    await carla.login();
    expect(
      telemetry.spans().some(({ attributes }) => attributes['error.type'] === 'rejected'),
    ).toBe(true);
    expect(await findLeaks()).toEqual([]);
  });
});
