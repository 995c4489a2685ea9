import assert from 'node:assert/strict';
import type { OtpCall } from 'passport-sms-otp';
import { ALICE, BOB, checksOf, type GatewayCheck, textTo } from './context';
import { assertSilent } from './failure-checks';

const CALLS: readonly OtpCall[] = ['generate', 'validate'];

const ofAdmit = checksOf('admit');

/** Checks of `admit`. A gateway without it admits every call. */
const admitChecks: readonly GatewayCheck[] = [
  ofAdmit('sends nothing, and gives a permit that can be released', async (context) => {
    for (const call of CALLS) {
      const permit = await context.gateway.admit?.(call);
      if (permit !== undefined) assert.equal(typeof permit.release, 'function');
      permit?.release();
    }
    assert.equal(await context.countTexts(), 0);
  }),
  ofAdmit(
    'gives a permit with which the call is made',
    async ({ gateway, countTexts, textsOf }) => {
      const { id } = await gateway.generate(textTo(ALICE), await gateway.admit?.('generate'));
      assert.equal(await countTexts(), 1);
      const pin = (await textsOf(ALICE))[0]?.pin ?? '';
      const typed = { id, to: ALICE, pin };
      assert.equal(await gateway.validate(typed, await gateway.admit?.('validate')), 'right');
    },
  ),
  ofAdmit('has as many permits as are released, twice or without a call', async (context) => {
    for (let time = 0; time < 300; time += 1) {
      const permit = await context.gateway.admit?.('validate');
      permit?.release();
      permit?.release();
    }
    await context.send({ to: BOB });
  }),
  ofAdmit('takes a permit back after its call', async ({ gateway, send }) => {
    for (let time = 0; time < 300; time += 1) {
      const permit = await gateway.admit?.('validate');
      // Any result is fine, even an error: the call has ended.
      await gateway.validate({ id: '1', to: BOB, pin: '0000' }, permit).catch(() => undefined);
      permit?.release();
    }
    await send();
  }),
];

const ofRest = checksOf('gateway');

/** Checks of the optional parts of a gateway. */
export const otherChecks: readonly GatewayCheck[] = [
  ...admitChecks,
  ofRest('has both calls, and says with a boolean whether it writes messages', ({ gateway }) => {
    assert.equal(typeof gateway.generate, 'function');
    assert.equal(typeof gateway.validate, 'function');
    assert.ok(['undefined', 'boolean'].includes(typeof gateway.writesMessages));
    return Promise.resolve();
  }),
  ofRest('can be warmed up again and again, and sends nothing by that', async (context) => {
    const { gateway, send, countTexts } = context;
    await gateway.warmUp?.();
    await gateway.warmUp?.();
    assert.equal(await countTexts(), 0);
    await send();
  }),
  ofRest(
    'emits events without code, number and secret, until a listener is removed',
    async (context) => {
      const { gateway, send, isRight, failNext, failToSend, secrets } = context;
      const events: unknown[] = [];
      const unsubscribe = gateway.subscribe?.((event) => events.push(event));
      const texted = await send();
      await isRight(texted);
      await failNext('generate', 'lost-after');
      await failToSend();
      assertSilent(events, [ALICE.slice(1), texted.pin, ...secrets]);
      unsubscribe?.();
      const told = events.length;
      await send({ to: BOB });
      assert.equal(events.length, told);
    },
  ),
  ofRest('ignores a listener that throws', async ({ gateway, send, isRight }) => {
    gateway.subscribe?.(() => {
      throw new Error('the listener');
    });
    assert.equal(await isRight(await send()), true);
  }),
  ofRest('that was closed sends nothing and says right to no code', async (context) => {
    const { gateway, send, failToSend, isRight, countTexts } = context;
    if (gateway.close === undefined) return;
    const texted = await send({ to: BOB });
    await gateway.close();
    await gateway.close();
    await failToSend();
    assert.equal(await countTexts(ALICE), 0);
    assert.equal(await isRight(texted), false);
  }),
];
