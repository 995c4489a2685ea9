import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import type { OtpCall } from 'passport-sms-otp';
import { forEach } from '../for-each';
import {
  ALICE,
  type CheckContext,
  checksOf,
  type GatewayCheck,
  type GatewayFailure,
  type GatewayFault,
  type Texted,
} from './context';

const FAILURES: readonly GatewayFailure[] = [
  'refused',
  'lost-before',
  'lost-after',
  'nonsense',
  'other-shape',
  'silent',
];

const ofGenerate = checksOf('generate');

/** Checks of calls of `generate` that fail. */
export const generateFailureChecks: readonly GatewayCheck[] = [
  ofGenerate('that the provider refuses says that no message was sent', async (context) => {
    const { mayHaveArrived } = await failText(context, 'refused');
    assert.equal(mayHaveArrived, false);
    assert.equal(await context.countTexts(), 0);
  }),
  ofGenerate('that is lost on its way is not repeated', async (context) => {
    await failText(context, 'lost-before');
    assert.equal(await context.countTexts(), 0);
  }),
  ofGenerate('whose answer is lost may have been sent, and is not repeated', async (context) => {
    const { mayHaveArrived } = await failText(context, 'lost-after');
    assert.notEqual(mayHaveArrived, false);
    assert.equal(await context.countTexts(), 1);
  }),
  ofGenerate('whose answer is nonsense is no text, and is not repeated', (context) =>
    assertNoText(context, 'nonsense'),
  ),
  ofGenerate('whose answer has another shape is no text, and is not repeated', (context) =>
    assertNoText(context, 'other-shape'),
  ),
  ofGenerate('that is never answered ends at a deadline, and is not repeated', async (context) => {
    const { mayHaveArrived } = await failText(context, 'silent');
    assert.notEqual(mayHaveArrived, false);
    assert.ok((await context.countTexts()) <= 1);
  }),
  ofGenerate('that fails leaves the next one alone', async (context) => {
    for (const failure of ['refused', 'lost-before'] as const) {
      await failText(context, failure);
    }
    assert.equal(await context.isRight(await context.send()), true);
  }),
  ofGenerate('that fails ends in an error of a gateway', async (context) => {
    await forEach(FAILURES, async (failure) => {
      assertGatewayError(await failText(context, failure));
    });
  }),
  ofGenerate('that fails shows no code, no number and no secret', async (context) => {
    await forEach(FAILURES, async (failure) => {
      const { error } = await failText(context, failure);
      const pins = (await context.textsOf(ALICE)).map(({ pin }) => pin);
      assertSilent(error, [ALICE.slice(1), ...pins, ...context.secrets]);
    });
  }),
];

const ofValidate = checksOf('validate');

/** Checks of calls of `validate` that fail. */
export const validateFailureChecks: readonly GatewayCheck[] = [
  ofValidate('that the provider refuses leaves the code right, and says so', async (context) => {
    const { texted, fault } = await failJudgement(context, 'refused');
    assert.equal(fault.mayHaveArrived, false);
    assert.equal(await context.isRight(texted), true);
  }),
  ofValidate('that is lost on its way is not right', async (context) => {
    await failJudgement(context, 'lost-before');
  }),
  ofValidate('whose answer is lost may have been made', async (context) => {
    const { fault } = await failJudgement(context, 'lost-after');
    assert.notEqual(fault.mayHaveArrived, false);
  }),
  ofValidate('whose answer is lost has used the code up', async (context) => {
    const { texted } = await failJudgement(context, 'lost-after');
    assert.equal(await context.isRight(texted), false);
  }),
  ofValidate('whose answer is nonsense is not right, and may have been made', async (context) => {
    const { fault } = await failJudgement(context, 'nonsense');
    assert.notEqual(fault.mayHaveArrived, false);
  }),
  ofValidate(
    'whose answer has another shape lets no one in, and may have been made',
    async (context) => {
      const { fault } = await failJudgement(context, 'other-shape');
      assert.notEqual(fault.mayHaveArrived, false);
    },
  ),
  ofValidate(
    'that is never answered ends at a deadline, and may have been made',
    async (context) => {
      const { fault } = await failJudgement(context, 'silent');
      assert.notEqual(fault.mayHaveArrived, false);
    },
  ),
  ofValidate('that fails ends in an error of a gateway', async (context) => {
    await forEach(FAILURES, async (failure) => {
      assertGatewayError((await failJudgement(context, failure)).fault);
    });
  }),
  ofValidate('that fails shows no code, no number and no secret', async (context) => {
    await forEach(FAILURES, async (failure) => {
      const { texted, fault } = await failJudgement(context, failure);
      assertSilent(fault.error, [texted.to.slice(1), texted.pin, ...context.secrets]);
    });
  }),
];

/** Asks for a text whose answer cannot be understood. */
async function assertNoText(context: CheckContext, failure: GatewayFailure): Promise<void> {
  const { mayHaveArrived } = await failText(context, failure);
  const texts = await context.countTexts();
  assert.ok(texts <= 1);
  if (texts === 1) assert.notEqual(mayHaveArrived, false);
}

/** The gateway that makes a call fail: a deadline is waited for. */
async function gatewayFor(context: CheckContext, call: OtpCall, failure: GatewayFailure) {
  const gateway = failure === 'silent' ? await context.hasty() : context.gateway;
  // Warm up first, so that only the silence uses up the deadline.
  if (failure === 'silent') await gateway.warmUp?.();
  await context.failNext(call, failure);
  return gateway;
}

async function failText(context: CheckContext, failure: GatewayFailure): Promise<GatewayFault> {
  return context.failToSend(await gatewayFor(context, 'generate', failure));
}

/** Types the right code in a call that fails. */
async function failJudgement(
  context: CheckContext,
  failure: GatewayFailure,
): Promise<{ readonly texted: Texted; readonly fault: GatewayFault }> {
  const texted = await context.send({ to: context.nextNumber() });
  const gateway = await gatewayFor(context, 'validate', failure);
  return { texted, fault: await context.failToJudge(texted, gateway) };
}

const CODES = ['UNREACHABLE', 'TIMEOUT', 'RESPONSE', 'REJECTED', 'BUSY'].map(
  (name) => `ERR_GATEWAY_${name}`,
);

function assertGatewayError({ error, code, status, mayHaveArrived }: GatewayFault): void {
  assert.ok(error instanceof Error);
  assert.ok([...CODES, 'ERR_STORE'].includes(String(code)), `the code ${String(code)}`);
  assert.ok([502, 503, 504].includes(Number(status)), `the status ${String(status)}`);
  assert.equal(typeof mayHaveArrived, 'boolean');
}

/** Asserts that neither an error nor its fields show one of these strings. */
export function assertSilent(value: unknown, words: readonly string[]): void {
  const shown = inspect(value, { depth: Infinity, showHidden: true });
  for (const word of words)
    if (word !== '' && shown.includes(word))
      throw new assert.AssertionError({ message: 'it shows what it must not' });
}
