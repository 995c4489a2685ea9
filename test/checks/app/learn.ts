import { Browser } from './browser';
import { AppCheckError } from './failure';
import {
  isFine,
  isSame,
  type KnownPage,
  type LearnedLogin,
  Refusals,
  signatureOf,
} from './refusals';
import type { Scene } from './scene';
import { visitAll } from './visit-all';

/**
 * Requests every guarded page as a stranger, after the password and after the code. First it sends
 * one message, because the simulator may not be the app's gateway.
 * @throws {AppCheckError} if no message reaches the simulator, or no page opens.
 */
export async function learn(scene: Scene): Promise<LearnedLogin> {
  const { app, origin, guarded } = scene;
  const stranger = await visitAll(new Browser(scene), guarded);
  const member = await visitAsMember(scene, stranger);
  const waiting = await visitWithoutCode(scene);

  const known = guarded.map((page): KnownPage => {
    const answers = { stranger: stranger(page), waiting: waiting(page), member: member(page) };
    return { page, ...answers, origin };
  });
  const refusals = new Refusals(app, known);
  const closed = known.filter((one) => refusals.staysClosed(one));
  const leftOut = closed.map(({ page }) => scene.nameOf(page));
  if (closed.length === known.length)
    scene.fail('code-opens-nothing', `${leftOut.join(', ')}: closed after the right code.`);
  const open = known.filter((one) => !closed.includes(one));
  return { refusals: new Refusals(app, open), leftOut };
}

type Answers = Awaited<ReturnType<typeof visitAll>>;

async function visitAsMember(scene: Scene, stranger: Answers): Promise<Answers> {
  const user = scene.user();
  const browser = new Browser(scene);
  const texts = scene.watchTexts(user.phone);
  await browser.givePassword(user);
  const code = texts().at(-1)?.pin;
  if (code === undefined) return failWithoutText(scene, browser, stranger);
  await browser.giveCode(code, 'right code');
  const answers = await visitAll(browser, scene.guarded);
  scene.desk.noteFinished(user);
  return answers;
}

/**
 * Fails without a message. If the password alone opens the pages, that is a hole; otherwise the app
 * sends no code.
 */
async function failWithoutText(scene: Scene, browser: Browser, stranger: Answers): Promise<never> {
  for (const page of scene.guarded) {
    const answer = await browser.visit(page);
    const seen = signatureOf(answer, scene.origin);
    const refusal = signatureOf(stranger(page), scene.origin);
    if (isFine(seen.status) && !isSame(seen, refusal))
      scene.fail('open-after-password', `${scene.nameOf(page)} opens, and no message is sent.`, [
        page,
      ]);
  }
  return scene.fail('no-code', 'No message is sent after the right password.');
}

async function visitWithoutCode(scene: Scene): Promise<Answers> {
  const user = scene.user();
  const browser = new Browser(scene);
  const texts = scene.watchTexts(user.phone);
  await browser.givePassword(user);
  const answers = await visitAll(browser, scene.guarded);
  const code = texts().at(-1)?.pin;
  if (code !== undefined) await browser.tryToFinish(code);
  return answers;
}

/**
 * Returns the error of a check if the first login failed. It names the hole if the check looks for
 * it.
 */
export function failureOf(learned: AppCheckError, holes: readonly string[]): AppCheckError {
  const { hole, finding, done, pages } = learned;
  if (hole === null || holes.includes(hole)) return learned;
  return new AppCheckError({ hole: null, finding, done, pages });
}
