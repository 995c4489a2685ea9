import { expect } from '@jest/globals';
import fc, { type AsyncCommand, type Arbitrary } from 'fast-check';
import type { Response } from 'supertest';
import { wrongCode } from '../../support/visit';
import {
  BROWSERS,
  createSession,
  loseStore as forgetAll,
  sessionOf,
  USERS,
  type Model,
  type ModelSession,
} from './model';
import { predictCode } from './predict-code';
import { predictLogin, predictResend, predictStepUp, type SendAnswer } from './predict-send';
import { browserOf, checkInvariants, checkSession, personOf, pinOf, type Real } from './real';

type Step = (model: Model, real: Real) => Promise<void>;

const browser = fc.nat(BROWSERS - 1);
const user = fc.constantFrom(...USERS);
const seconds = fc.constantFrom(
  1,
  29,
  31,
  31,
  61,
  67,
  121,
  133,
  265,
  299,
  301,
  481,
  601,
  1_801,
  3_601,
);

type Condition = (session: ModelSession) => boolean;

const always: Condition = () => true;
const waits: Condition = ({ pending }) => pending !== null;
const isLoggedIn: Condition = ({ user: id }) => id !== null;

/**
 * A step in a browser, or in none. Most are only taken where they can do something; the others are
 * tried anywhere.
 */
function command(
  name: string,
  step: Step,
  index?: number,
  condition: Condition = always,
): AsyncCommand<Model, Real> {
  return {
    check: (model) => index === undefined || condition(sessionOf(model, index)),
    toString: () => name,
    async run(model, real) {
      const { generate } = real.test.sim.stats().calls;
      real.tampered.calls.length = 0;
      await step(model, real);
      await checkInvariants(model, real, generate);
      if (index !== undefined) await checkSession(model, real, index);
    },
  };
}

type Kind = 'right' | 'wrong' | 'stale' | 'lost';

/**
 * A code that is right for the session, wrong, or right for somebody else; or right, with the
 * answer lost.
 */
function enter(
  index: number,
  kind: Kind,
  times: number,
  condition: Condition,
): AsyncCommand<Model, Real> {
  return command(
    `enter(${index}, ${kind}, ${times} times)`,
    async (model, real) => {
      for (let time = 0; time < times; time += 1) await enterOnce(model, real, index, kind);
    },
    index,
    condition,
  );
}

async function enterOnce(model: Model, real: Real, index: number, kind: Kind): Promise<void> {
  const right = pinOf(real, sessionOf(model, index).pending?.otpId);
  const stale = real.test.sim.outbox.at(-2)?.pin ?? '0000';
  const code = { right, lost: right, stale, wrong: wrongCode(right) }[kind];
  if (kind === 'lost') real.test.sim.failNext('validate', { kind: 'reset', when: 'after' });
  const answer = await browserOf(real, index).enter(code);
  real.test.sim.clearFaults();
  const [status, error] = predictCode(model, index, code, kind === 'lost');
  expect([answer.status, answer.body.error ?? null]).toEqual([status, error]);
}

interface Send {
  readonly name: string;
  readonly index: number;
  readonly condition: Condition;
  readonly ask: (real: Real) => Promise<Response>;
  readonly predict: (model: Model, answer: SendAnswer) => void;
}

function send({ name, index, condition, ask, predict }: Send): AsyncCommand<Model, Real> {
  const step: Step = async (model, real) => {
    const { sent } = real.test.sim.stats();
    const { status, body } = await ask(real);
    const isNew = real.test.sim.stats().sent > sent;
    const message = isNew ? real.test.sim.outbox.at(-1) : undefined;
    const { pending } = (await browserOf(real, index).status()).body.session ?? {};
    predict(model, {
      status,
      error: body.error ?? null,
      message,
      isPending: body.pending === true,
      pendingId: pending?.pendingId,
    });
  };
  return command(name, step, index, condition);
}

/** Lets time pass for both. */
function pass(model: Model, real: Real, length: number): void {
  model.now += length;
  real.test.clock.advanceSeconds(length);
}

const login = (index: number, id: string): AsyncCommand<Model, Real> =>
  send({
    name: `login(${index}, ${id})`,
    index,
    condition: always,
    ask: (real) => browserOf(real, index).login(personOf(id)),
    predict: (model, answer) => predictLogin(model, index, id, answer),
  });

const resend = (index: number, condition: Condition): AsyncCommand<Model, Real> =>
  send({
    name: `resend(${index})`,
    index,
    condition,
    ask: (real) => browserOf(real, index).resend(),
    predict: (model, answer) => predictResend(model, index, answer),
  });

const stepUp = (index: number, condition: Condition): AsyncCommand<Model, Real> =>
  send({
    name: `stepUp(${index})`,
    index,
    condition,
    ask: (real) => browserOf(real, index).stepUp(),
    predict: (model, answer) => predictStepUp(model, index, answer),
  });

const cancel = (index: number): AsyncCommand<Model, Real> =>
  command(
    `cancel(${index})`,
    async (model, real) => {
      await browserOf(real, index).cancel();
      const session = sessionOf(model, index);
      model.logins.delete(session.pending?.pendingId ?? '');
      session.pending = null;
    },
    index,
    waits,
  );

const logOut = (index: number): AsyncCommand<Model, Real> =>
  command(
    `logOut(${index})`,
    async (model, real) => {
      await browserOf(real, index).logout();
      Object.assign(sessionOf(model, index), createSession());
    },
    index,
    isLoggedIn,
  );

const loseStore = (): AsyncCommand<Model, Real> =>
  command('loseStore()', (model, real) => {
    real.tampered.lose();
    forgetAll(model);
    return Promise.resolve();
  });

const time = (length: number): AsyncCommand<Model, Real> =>
  command(`pass(${length} s)`, (model, real) => Promise.resolve(pass(model, real, length)));

/** Every command with its weight among a hundred. */
export const anyCommand: Arbitrary<AsyncCommand<Model, Real>> = fc.oneof(
  { weight: 20, arbitrary: fc.tuple(browser, user).map(([index, id]) => login(index, id)) },
  { weight: 10, arbitrary: browser.map((index) => enter(index, 'right', 1, waits)) },
  { weight: 10, arbitrary: browser.map((index) => enter(index, 'wrong', 5, waits)) },
  { weight: 6, arbitrary: browser.map((index) => enter(index, 'wrong', 1, waits)) },
  { weight: 4, arbitrary: browser.map((index) => enter(index, 'stale', 1, always)) },
  { weight: 3, arbitrary: browser.map((index) => enter(index, 'lost', 1, waits)) },
  { weight: 12, arbitrary: browser.map((index) => resend(index, waits)) },
  { weight: 1, arbitrary: browser.map((index) => resend(index, always)) },
  { weight: 10, arbitrary: browser.map((index) => stepUp(index, isLoggedIn)) },
  { weight: 1, arbitrary: browser.map((index) => stepUp(index, always)) },
  { weight: 3, arbitrary: browser.map(cancel) },
  { weight: 2, arbitrary: browser.map(logOut) },
  { weight: 17, arbitrary: seconds.map(time) },
  { weight: 1, arbitrary: fc.constant(loseStore()) },
);
