import { setTimeout as wait } from 'node:timers/promises';
import { expect } from '@jest/globals';
import { LINKED, reasonIn, type Answer } from './browser';
import { hashOf, type Person } from './parts';
import { EMPTY, MISSPELT, WITHOUT_NUMBER, type AppOfWalk } from './site';
import type { Visitor } from './visitor';

/** A step of the walk. Each visitor takes one step. */
export interface Step {
  readonly title: string;
  readonly expectStep: (alice: Visitor) => Promise<void>;
}

/** Longer than the wait for the next message. */
const GAP_SECONDS = 31;

/** A guarded page, and the routes of our middlewares. */
const POSTED_TO = [
  '/payment',
  '/login/pin',
  '/login/resend',
  '/login/cancel',
  '/step-up',
  '/logout',
];

/** The steps of the walk, the same for every app. An app without pages has fewer. */
export function stepsOf({ speaksJson }: AppOfWalk): readonly Step[] {
  const everywhere = [
    { title: 'login: no one is in before the code, no hash comes out', expectStep: expectLogin },
    { title: 'wrong code: told, and the right one still works', expectStep: expectWrongCode },
    { title: 'guard: a stranger does not pass', expectStep: expectGuard },
    { title: 'logout: the browser is out, and a copy of its cookies', expectStep: expectLogout },
    { title: 'methods: a link of another site cancels no login', expectStep: expectMethods },
    { title: 'sign-up: the account opens with the code', expectStep: expectSignUp },
    ...[0, 150].flatMap(submittingTwice),
    { title: 'ended elsewhere: told, and the session is left alone', expectStep: expectEnded },
    { title: 'ended elsewhere: the user can log in again', expectStep: expectLoginAgain },
    ...POSTED_TO.map(postedElsewhere),
    ...[WITHOUT_NUMBER, MISSPELT, EMPTY].map(unusableNumber),
    { title: 'numbers: one warning names the command', expectStep: expectWarning },
  ];
  const ofPages = [
    wantedPage('typed', { 'Sec-Fetch-Site': 'none' }),
    wantedPage('linked in a mail', LINKED),
    ...['prefetch', 'prefetch;prerender'].flatMap(prefetching),
  ];
  return speaksJson === true ? everywhere : [...everywhere, ...ofPages];
}

async function expectLogin(alice: Visitor): Promise<void> {
  const { name, password } = alice.person;
  await alice.givePassword();
  expect(await alice.isIn()).toBe(false);
  expect((await alice.visit('/about')).text).not.toContain(name);
  await alice.enter();
  const { status, text } = await alice.visit('/account');
  expect([status, text]).toEqual([200, expect.stringContaining(name)]);
  expect(text + alice.site.sessions.dump()).not.toContain(hashOf(password));
}

async function expectWrongCode(alice: Visitor): Promise<void> {
  await alice.givePassword();
  const told = await alice.browser.follow(await alice.enter(alice.wrongCode));
  const expected = alice.speaksJson ? [401, 'invalid-code'] : [200, 'wrong-code'];
  expect([told.status, reasonIn(told)]).toEqual(expected);
  expect(await alice.isIn()).toBe(false);
  await alice.enter();
  expect(await alice.isIn()).toBe(true);
}

async function expectGuard(stranger: Visitor): Promise<void> {
  const { status, path } = await stranger.visit('/account');
  const [expected, shown] = stranger.speaksJson ? [403, '/account'] : [200, '/login'];
  expect([status, path]).toEqual([expected, stranger.at(shown)]);
}

async function expectLogout(alice: Visitor): Promise<void> {
  await alice.logIn();
  const copied = alice.copy();
  expect((await alice.browser.follow(await alice.logOut())).status).toBe(200);
  expect([await alice.isIn(), await copied.isIn()]).toEqual([false, false]);
}

/** Browsers send a `SameSite=Lax` cookie along with a link of another site. */
async function expectMethods(alice: Visitor): Promise<void> {
  await alice.givePassword();
  const { status, allow } = await alice.browser.get(alice.at('/login/cancel'), LINKED);
  expect([status, allow]).toEqual([405, 'POST']);
  await alice.enter();
  expect(await alice.isIn()).toBe(true);
}

async function expectSignUp(alice: Visitor): Promise<void> {
  await alice.signUp();
  expect(await alice.isIn()).toBe(false);
  await alice.enter();
  expect(await alice.isIn()).toBe(true);
}

/** The right code was submitted twice. */
interface Twice {
  readonly alice: Visitor;
  /** In the order in which they arrived. */
  readonly answers: readonly Answer[];
  /** The answer to the second request. */
  readonly second: Answer;
}

function submittingTwice(apartMs: number): readonly Step[] {
  let submitted: Promise<Twice> | undefined;
  // Once for both steps, because it takes a second.
  const submit = (alice: Visitor): Promise<Twice> => (submitted ??= submitTwice(alice, apartMs));
  const title = `code twice, ${apartMs} ms apart`;
  return [
    {
      title: `${title}: a browser that keeps both answers is in, and shows it`,
      expectStep: async (visitor) => expectBothKept(await submit(visitor)),
    },
    {
      title: `${title}: a browser that drops the first answer is told, and can log in again`,
      expectStep: async (visitor) => expectFirstDropped(await submit(visitor)),
    },
  ];
}

/** The gateway takes a second for each. */
async function submitTwice(alice: Visitor, apartMs: number): Promise<Twice> {
  const { sim } = alice.site;
  await alice.givePassword();
  const path = alice.at('/login/pin');
  const form = await alice.browser.fill(path, path, { pin: alice.code });
  const answers: Answer[] = [];
  const submit = async (): Promise<Answer> => {
    const answer = await alice.browser.send(form);
    answers.push(answer);
    return answer;
  };
  sim.failNext('validate', { kind: 'latency', ms: 1_000 }, 2);
  const [, second] = await Promise.all([submit(), wait(apartMs).then(submit)]);
  sim.clearFaults();
  return { alice, answers, second };
}

async function expectBothKept({ alice, answers, second }: Twice): Promise<void> {
  const both = alice.copy();
  for (const answer of answers) both.browser.keep(answer);
  const { path } = await both.browser.follow(second);
  expect(await both.isIn()).toBe(true);
  if (wasBetween(second)) return;
  const statuses = answers.map(({ status }) => status).sort();
  const [shown, expected] = both.speaksJson ? ['/login/pin', [200, 409]] : ['/account', [303, 303]];
  expect([path, statuses]).toEqual([both.at(shown), expected]);
}

/**
 * Returns whether the second was answered between the verdict of the first and its success. At that
 * moment its code is wrong, and no store knows better.
 */
function wasBetween(answer: Answer): boolean {
  return answer.location?.endsWith('/login/pin') === true || reasonIn(answer) === 'invalid-code';
}

/** The cookie of the first answer is lost: no later answer can bring it back. */
async function expectFirstDropped({ alice, second }: Twice): Promise<void> {
  const dropping = alice.copy();
  const told = await dropping.browser.follow(dropping.browser.keep(second));
  // The second request may have won.
  const isIn = await dropping.isIn();
  const isBetween = wasBetween(second);
  const reason = dropping.speaksJson ? 'already-verified' : 'second-factor-required';
  if (!isBetween) expect(reasonIn(told)).toBe(isIn ? null : reason);
  expect(isIn || second.setCookies.length === 0).toBe(true);
  alice.site.clock.advanceSeconds(GAP_SECONDS);
  if (!isIn) await dropping.logIn();
  expect(await dropping.isIn()).toBe(true);
}

async function expectEnded(alice: Visitor): Promise<void> {
  const { browser, person, site } = alice;
  await alice.logIn({ stay: 'on' });
  await alice.visit('/cart?add=book');
  const cookies = new Map(browser.jar.cookies);
  await site.revokeAll(person.name);
  const refused = await browser.get(alice.at('/account'));
  const told = await browser.follow(refused);
  expect([told.status, reasonIn(told)]).toEqual([alice.speaksJson ? 401 : 200, 'login-ended']);
  expect((await alice.visit('/about')).text).not.toContain(person.name);
  expect((await alice.visit('/cart')).text).toContain('book');
  expect([refused.setCookies, browser.jar.cookies]).toEqual([[], cookies]);
}

async function expectLoginAgain(alice: Visitor): Promise<void> {
  await alice.logIn();
  await alice.site.revokeAll(alice.person.name);
  await alice.visit('/account');
  alice.site.clock.advanceSeconds(GAP_SECONDS);
  await alice.logIn();
  expect(await alice.isIn()).toBe(true);
}

function postedElsewhere(path: string): Step {
  return {
    title: `another site posts a form to ${path}: the user stays in`,
    expectStep: async (alice) => {
      await alice.logIn();
      const { setCookies } = await alice.browser.postElsewhere(alice.at(path));
      expect([setCookies, await alice.isIn()]).toEqual([[], true]);
    },
  };
}

function unusableNumber(person: Person): Step {
  return {
    title: `number ${person.name}: refused, and no error`,
    expectStep: async ({ site, speaksJson }) => {
      const user = site.visitor(person);
      const told = await user.browser.follow(await user.givePassword());
      expect([told.status, reasonIn(told)]).toEqual([speaksJson ? 403 : 200, 'no-phone']);
      expect(await user.isIn()).toBe(false);
    },
  };
}

async function expectWarning({ site }: Visitor): Promise<void> {
  for (const person of [MISSPELT, WITHOUT_NUMBER, MISSPELT])
    await site.visitor(person).givePassword();
  const naming = site.warnings.filter((text) => text.includes('passport-sms-otp numbers'));
  // One for each kind of value that the walk has met.
  expect(naming.filter((text) => text.includes('undefined'))).toHaveLength(1);
  expect(naming.filter((text) => text.includes('not E.164'))).toHaveLength(1);
}

function wantedPage(how: string, headers: Readonly<Record<string, string>>): Step {
  return {
    title: `wanted page, ${how}: it comes after the code`,
    expectStep: async (alice) => {
      const wanted = alice.at('/statements?year=2026');
      await alice.browser.visit(wanted, headers);
      const { status, path } = await alice.browser.follow(await alice.logIn());
      expect([status, path]).toEqual([200, wanted]);
    },
  };
}

function prefetching(purpose: string): readonly Step[] {
  return [
    {
      title: `Sec-Purpose ${purpose}: the wanted page stays the same`,
      expectStep: async (alice) => {
        await alice.visit('/statements');
        await alice.browser.prefetch(alice.at('/account'), purpose);
        const { path } = await alice.browser.follow(await alice.logIn());
        expect(path).toBe(alice.at('/statements'));
      },
    },
    {
      title: `Sec-Purpose ${purpose}: the notice is not used up`,
      expectStep: async (alice) => {
        await alice.givePassword();
        await alice.enter(alice.wrongCode);
        await alice.browser.prefetch(alice.at('/login/pin'), purpose);
        expect(reasonIn(await alice.visit('/login/pin'))).toBe('wrong-code');
      },
    },
  ];
}
