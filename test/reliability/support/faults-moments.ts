import { expect } from '@jest/globals';
import { waitUntil } from '../../support/wait-until';
import { SHUT_OUT, untilServed, type Stage } from './faults-stage';

/** What befalls a store. */
export interface StateFault {
  readonly title: string;
  /**
   * `refused`: what counts is refused while it lasts. `unnoticed`: the app goes on. `either`: one
   * of the two.
   */
  readonly effect: 'refused' | 'unnoticed' | 'either';
  /** Whether every pending login and counter goes with it. */
  readonly losesData: boolean;
  readonly strike: () => Promise<void>;
  /** Makes the store well again. */
  readonly heal: () => Promise<void>;
}

/** Where in a login a store fails; plays one login in which it does. */
export interface Moment {
  readonly title: string;
  readonly play: (stage: Stage, fault: StateFault) => Promise<void>;
}

const FAILED = { status: 503, body: { code: 'ERR_STORE' } };
const WRONG = { status: 401, body: { error: 'invalid-code' } };
const NOTHING_WAITED_FOR = { status: 401, body: { error: 'no-pending-login' } };

/** Connections that a restart has cut may be noticed by the call that uses them first. */
function servedOr503({ effect }: StateFault): readonly number[] {
  return effect === 'either' ? [200, 503] : [200];
}

async function beforeTheSend(stage: Stage, fault: StateFault): Promise<void> {
  const visitor = stage.newcomer();
  const { generates } = stage.scene.witness;
  await fault.strike();
  const answer = await visitor.logIn();
  await fault.heal();
  if (fault.effect === 'refused') {
    expect(answer).toMatchObject(FAILED);
    expect(stage.scene.witness.generates).toBe(generates);
  } else expect(servedOr503(fault)).toContain(answer.status);
  await stage.check(fault.losesData);
  expect(await visitor.knock()).toBe(SHUT_OUT);
  await stage.expectLogin(visitor.user);
}

async function betweenGenerateAndSave(stage: Stage, fault: StateFault): Promise<void> {
  const visitor = stage.newcomer();
  const { generates } = stage.scene.witness;
  const letAnswersGo = stage.scene.witness.holdAnswers();
  const answer = visitor.logIn();
  await waitUntil(() => stage.scene.witness.generates > generates);
  await fault.strike();
  letAnswersGo();
  const { status, body } = await answer;
  await fault.heal();
  if (fault.effect === 'refused') expect({ status, body }).toEqual(FAILED);
  // The login had begun before, and is lost.
  else if (fault.losesData) expect([401, 503]).toContain(status);
  else expect(servedOr503(fault)).toContain(status);
  await stage.check(fault.losesData);
  // The code is on the phone; where nothing was saved it is worth nothing.
  const late = await untilServed(visitor.enterRight);
  if (status !== 200) expect(late).toMatchObject(NOTHING_WAITED_FOR);
  else expect(late.status).toBe(200);
  await stage.check();
  await stage.expectLogin(visitor.user);
}

async function beforeTheCode(stage: Stage, fault: StateFault): Promise<void> {
  const visitor = stage.newcomer();
  expect((await untilServed(visitor.logIn)).status).toBe(200);
  await stage.check();
  const judged = stage.scene.simulator.stats().calls.validate;
  await fault.strike();
  const { status, body } = await visitor.enterRight();
  await fault.heal();
  if (fault.effect === 'refused') expect({ status, body }).toEqual(FAILED);
  else if (fault.losesData) expect({ status, body }).toEqual(WRONG);
  else expect(servedOr503(fault)).toContain(status);
  const isIn = status === 200;
  if (!isIn && fault.effect !== 'either')
    expect(stage.scene.simulator.stats().calls.validate).toBe(judged);
  await stage.check(fault.losesData);
  expect(await visitor.knock()).toBe(isIn ? 200 : SHUT_OUT);
  const late = await untilServed(visitor.enterRight);
  // A store that still has the login takes its code now; one that lost it never does.
  if (fault.effect !== 'either') expect(late.status).toBe(!isIn && !fault.losesData ? 200 : 401);
  await stage.check();
  await stage.expectLogin(visitor.user);
}

async function betweenValidateAndSave(stage: Stage, fault: StateFault): Promise<void> {
  const visitor = stage.newcomer();
  expect((await untilServed(visitor.logIn)).status).toBe(200);
  await stage.check();
  const { witness } = stage.scene;
  const sumOfJudged = (): number =>
    [...witness.judged.values()].reduce((sum, count) => sum + count, 0);
  const before = sumOfJudged();
  const letAnswersGo = witness.holdAnswers();
  const answer = visitor.enterRight();
  await waitUntil(() => sumOfJudged() > before);
  await fault.strike();
  letAnswersGo();
  const { status, body } = await answer;
  await fault.heal();
  if (fault.losesData) expect([401, 503]).toContain(status);
  else if (fault.effect === 'refused') expect({ status, body }).toEqual(FAILED);
  else expect(servedOr503(fault)).toContain(status);
  await stage.check(fault.losesData);
  const isIn = status === 200;
  expect(await visitor.knock()).toBe(isIn ? 200 : SHUT_OUT);
  // The gateway has called this code right once, and that was all.
  expect((await untilServed(visitor.enterRight)).status).toBe(401);
  await stage.check();
  await stage.expectLogin(visitor.user);
}

export const MOMENTS: readonly Moment[] = [
  { title: 'before the send', play: beforeTheSend },
  { title: 'between generate and save', play: betweenGenerateAndSave },
  { title: 'before the code', play: beforeTheCode },
  { title: 'between validate and save', play: betweenValidateAndSave },
];
