import { expect } from '@jest/globals';
import { queue } from '../../support/people';
import type { TestUser } from '../../support/test-users';
import type { Answer, Browser } from './browser';
import { Invariants } from './invariants';
import { startScene, type Scene, type SceneSettings } from './scene';
import type { StateView, Viewer } from './state-view';

/** The server that keeps the library's state, and what a row of a fault table asks of it. */
export interface FaultyState {
  view(): Promise<Viewer>;
  liftGaps(): Promise<void>;
}

/** A person with a browser of their own. */
export interface Newcomer {
  readonly user: TestUser;
  readonly browser: Browser;
  readonly logIn: () => Promise<Answer>;
  /** Enters the newest code on the person's phone; any code where there is none. */
  readonly enterRight: () => Promise<Answer>;
  /** The status of the guarded page. */
  readonly knock: () => Promise<number>;
}

/** A scene with everything that the rows of a fault table do in it. */
export interface Stage {
  readonly scene: Scene;
  /** The next user, in a new browser. */
  readonly newcomer: () => Newcomer;
  /** The same user in another browser. */
  readonly again: (user: TestUser) => Newcomer;
  /** Fails when something does not hold that must hold after every step. */
  readonly check: (isLost?: boolean) => Promise<void>;
  /** What rests in the store. */
  readonly look: () => Promise<StateView>;
  /** A new login of this user works, gaps aside, and lets in once. */
  readonly expectLogin: (user: TestUser) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Where nobody is let in. */
export const SHUT_OUT = 403;

const ANY_CODE = '000000';

/** Milliseconds in which an app is at work again after its store is. */
const RECOVERY_MS = 10_000;

export async function startStage(settings: SceneSettings, state: FaultyState): Promise<Stage> {
  const scene = await startScene(settings);
  const viewer = await state.view();
  const invariants = new Invariants(scene.witness, viewer, scene);
  const next = queue(scene.users);
  const [url = ''] = scene.urls;

  function again(user: TestUser): Newcomer {
    const browser = scene.browser();
    return {
      user,
      browser,
      logIn: () => browser.logIn(url, user.id),
      enterRight: () => browser.enter(url, scene.simulator.lastPin(user.phone ?? '') ?? ANY_CODE),
      knock: async () => (await browser.get(url, '/account')).status,
    };
  }
  async function check(isLost = false): Promise<void> {
    const { passes, unhandled } = await scene.report();
    expect(await invariants.findBreaches({ passes, isLost })).toEqual([]);
    expect(unhandled).toEqual([]);
  }
  return {
    scene,
    again,
    check,
    newcomer: () => again(next()),
    look: () => viewer.look(),
    expectLogin: async (user) => {
      await state.liftGaps();
      const visitor = again(user);
      let sent = await untilServed(visitor.logIn);
      // A charge that the store was too late with may still arrive, and set a gap for a send that
      // was refused.
      for (let tries = 0; sent.status === 429 && tries < 3; tries += 1) {
        await state.liftGaps();
        sent = await untilServed(visitor.logIn);
      }
      expect(sent).toMatchObject({ status: 200, body: { sent: true } });
      await check();
      expect(await visitor.knock()).toBe(SHUT_OUT);
      expect(await visitor.enterRight()).toMatchObject({ status: 200, body: { verified: true } });
      expect(await visitor.knock()).toBe(200);
      await check();
    },
    close: async () => {
      await viewer.close();
      await scene.close();
    },
  };
}

/**
 * Asks again while the store's client is not connected again. What it refuses then is charged to
 * nobody.
 */
export async function untilServed(ask: () => Promise<Answer>): Promise<Answer> {
  const giveUpAt = Date.now() + RECOVERY_MS;
  let answer = await ask();
  while (answer.status === 503 && Date.now() < giveUpAt) answer = await ask();
  return answer;
}
