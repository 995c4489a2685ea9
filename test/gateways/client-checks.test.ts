import { describe, expect, it } from '@jest/globals';
import type { OtpCall, OtpGateway } from 'passport-sms-otp';
import { GatewayClient, otpGateway } from 'passport-sms-otp/client';
import {
  gatewayChecks,
  type GatewayFailure,
  type GatewayUnderTest,
} from 'passport-sms-otp/testing';
import { GatewaySimulator } from 'passport-sms-otp/simulator';
import type { Fault } from '../support/gateway-faults';

const REFUSED: Readonly<Record<OtpCall, Fault>> = {
  generate: { kind: 'error', code: 2105 },
  validate: { kind: 'error', code: 2121 },
};

const FAULTS: Readonly<Record<Exclude<GatewayFailure, 'refused'>, Fault>> = {
  'lost-before': 'reset',
  'lost-after': { kind: 'reset', when: 'after' },
  nonsense: { kind: 'body', when: 'after', status: 200, body: '<html>it works</html>' },
  'other-shape': { kind: 'body', when: 'after', status: 200, body: '{"payload":true}' },
  silent: { kind: 'no-answer', when: 'after' },
};

/** The client with the simulator on its wire. */
async function underTest(variant: 'A' | 'B'): Promise<GatewayUnderTest> {
  const sim = await GatewaySimulator.start({ variant });
  const { baseUrl, username, password } = sim;
  const clients: GatewayClient[] = [];
  const open = (deadlines = {}): OtpGateway => {
    const client = new GatewayClient({ baseUrl, variant, username, password, ...deadlines });
    clients.push(client);
    return otpGateway(client);
  };
  return {
    gateway: open(),
    another: open,
    hasty: () => open({ timeoutMs: 500 }),
    textsOf: (mobile) =>
      sim.outbox
        .filter((text) => `+${text.mobile}` === mobile || text.mobile === mobile)
        .map(({ pin, text }) => ({ pin, text })),
    failNext: (call, failure) =>
      sim.failNext(call, failure === 'refused' ? REFUSED[call] : FAULTS[failure]),
    passSeconds: (seconds) => sim.advanceSeconds(seconds),
    secrets: [password],
    close: async () => {
      await Promise.all(clients.map((client) => client.close()));
      await sim.close();
    },
  };
}

describe.each(['A', 'B'] as const)(
  'the client of variant %s passes the gateway checks',
  (variant) => {
    it.each(gatewayChecks)('$title', async ({ run }) => {
      await expect(run(() => underTest(variant))).resolves.toBeUndefined();
    });
  },
);
