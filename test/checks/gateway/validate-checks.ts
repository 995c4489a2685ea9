import assert from 'node:assert/strict';
import type { OtpGateway } from 'passport-sms-otp';
import {
  ALICE,
  assertOne,
  atOnce,
  BOB,
  type CheckContext,
  checksOf,
  type GatewayCheck,
  otherPin,
  type Texted,
  VALIDITY_SECONDS,
} from './context';

const check = checksOf('validate');

export const validateChecks: readonly GatewayCheck[] = [
  check('says right to the code that was sent', async ({ send, gateway }) => {
    const { id, to, pin } = await send();
    assert.equal(await gateway.validate({ id, to, pin }), 'right');
  }),
  check('says wrong to another code', async ({ send, gateway }) => {
    const { id, to, pin } = await send();
    assert.equal(await gateway.validate({ id, to, pin: otherPin(pin) }), 'wrong');
  }),
  check('answers one of three words, also to a code that was used', async ({ send, gateway }) => {
    const { id, to, pin } = await send();
    for (const typed of [otherPin(pin), pin, pin]) {
      const verdict: unknown = await gateway.validate({ id, to, pin: typed });
      assert.ok(verdict === 'right' || verdict === 'wrong' || verdict === 'over');
    }
  }),
  check('says right after a wrong code', async ({ send, isRight }) => {
    const texted = await send();
    assert.equal(await isRight({ ...texted, pin: otherPin(texted.pin) }), false);
    assert.equal(await isRight(texted), true);
  }),
  check(
    'says right after four wrong codes, unless it has said that the code is over',
    async (context) => {
      const texted = await context.send();
      const verdicts = new Set<unknown>();
      for (const step of [1, 2, 3, 4]) {
        const pin = otherPin(texted.pin, step);
        verdicts.add(await context.gateway.validate({ ...typedOf(texted), pin }));
      }
      verdicts.delete('wrong');
      // Most providers allow five attempts, some three.
      const isOver = verdicts.delete('over');
      assert.deepEqual(verdicts, new Set());
      assert.equal(await context.isRight(texted), !isOver);
    },
  ),
  check('says right once', async ({ send, isRight }) => {
    const texted = await send();
    assert.equal(await isRight(texted), true);
    for (let time = 0; time < 3; time += 1) assert.equal(await isRight(texted), false);
  }),
  check('says right to one of ten that come at once', async ({ send, isRight }) => {
    const texted = await send();
    assertOne(await atOnce(10, () => isRight(texted)));
  }),
  check('says right to one of ten that come to two processes at once', async (context) => {
    const texted = await context.send();
    const gateways = [context.gateway, await context.another()];
    assertOne(await atOnce(10, (index) => context.isRight(texted, gateways[index % 2])));
  }),
  check('checks a code that another process has sent', async ({ send, another, isRight }) => {
    const texted = await send();
    assert.equal(await isRight(texted, await another()), true);
    const next = await send({ to: BOB }, await another());
    assert.equal(await isRight(next), true);
  }),
  check('knows in one process that a code was used in another', async (context) => {
    const texted = await context.send();
    assert.equal(await context.isRight(texted), true);
    assert.equal(await context.isRight(texted, await context.another()), false);
  }),
  check('says right only for the number to which the code was sent', async ({ send, isRight }) => {
    const texted = await send();
    for (const to of [BOB, '+442071234567', `${ALICE}0`, ALICE.slice(0, -1)])
      assert.equal(await isRight({ ...texted, to }), false, to);
  }),
  check('says right only under the id of its own OTP', async ({ send, isRight }) => {
    const [alice, bob] = [await send(), await send({ to: BOB })];
    assert.equal(await isRight({ ...alice, id: bob.id }), false);
    assert.equal(await isRight({ ...bob, id: alice.id }), false);
    assert.equal(await isRight({ ...bob, pin: alice.pin }), alice.pin === bob.pin);
  }),
  check('never says right under an id that it has not made', async ({ send, isRight }) => {
    const texted = await send();
    const changed = texted.id.slice(0, -1) + (texted.id.endsWith('0') ? '1' : '0');
    const odd = ['', '0', '.', '..', 'a/b', '?x=1', '%2e%2e', 'a\nb', '\ud800', '__proto__'];
    for (const id of [changed, `${texted.id}0`, 'x'.repeat(10_000), ...odd])
      assert.equal(await isRight({ ...texted, id }), false, JSON.stringify(id.slice(0, 20)));
  }),
  check('never says right to a part of the code, or to more than it', async (context) => {
    await expectNone(context, ({ pin }) => [
      pin.slice(1),
      pin.slice(0, -1),
      `${pin}0`,
      `0${pin}`,
      `+${pin}`,
      ` ${pin}`,
      `${pin}\n`,
      `${pin}.0`,
    ]);
  }),
  check('never says right to what is no code', async (context) => {
    const odd = ['', '0', '%', '*', 'null', 'true', "' OR 1=1 --", '[object Object]', '1e5'];
    await expectNone(context, ({ pin }) => [...odd, `.{${pin.length}}`, '9'.repeat(1_000)]);
  }),
  check('does not let wrong codes of one OTP use up another', async (context) => {
    const alice = await context.send();
    for (let time = 0; time < 3; time += 1) {
      const other = await context.send({ to: context.nextNumber() });
      for (const step of [1, 2, 3, 4, 5, 6])
        await context.isRight({ ...other, pin: otherPin(other.pin, step) });
    }
    assert.equal(await context.isRight(alice), true);
  }),
  check('does not say right to a wrong code after the right one', async ({ send, isRight }) => {
    const texted = await send();
    assert.equal(await isRight(texted), true);
    for (const step of [1, 2, 3])
      assert.equal(await isRight({ ...texted, pin: otherPin(texted.pin, step) }), false);
  }),
  check('says right until shortly before the code expires', async (context) => {
    const texted = await context.send();
    const { validitySeconds } = texted;
    const life = Math.min(validitySeconds ?? VALIDITY_SECONDS, VALIDITY_SECONDS);
    await context.passSeconds(life - 10);
    assert.equal(await context.isRight(texted), true);
  }),
  check('never says right after ten minutes', async ({ send, passSeconds, isRight }) => {
    const texted = await send();
    await passSeconds(601);
    assert.equal(await isRight(texted), false);
  }),
  check('does not revive an expired code by another message', async (context) => {
    const texted = await context.send();
    await context.passSeconds(601);
    const next = await context.send();
    if (next.pin !== texted.pin) assert.equal(await context.isRight(texted), false);
    assert.equal(await context.isRight(next), true);
  }),
  check('sends nothing', async ({ send, isRight, countTexts }) => {
    const texted = await send();
    await isRight({ ...texted, pin: otherPin(texted.pin) });
    await isRight(texted);
    await isRight(texted);
    assert.equal(await countTexts(), 1);
  }),
];

type Typed = Parameters<OtpGateway['validate']>[0];

function typedOf({ id, to, pin }: Texted): Typed {
  return { id, to, pin };
}

/** Each wrong pin is typed at its own OTP, before its attempts are used up. */
async function expectNone(
  { send, isRight, nextNumber }: CheckContext,
  makePins: (texted: Texted) => readonly string[],
): Promise<void> {
  const pins = makePins({ ...(await send()) });
  for (let index = 0; index < pins.length; index += 1) {
    const texted = await send({ to: nextNumber() });
    const pin = makePins(texted)[index] ?? '';
    assert.equal(await isRight({ ...texted, pin }), false, JSON.stringify(pin.slice(0, 20)));
  }
}
