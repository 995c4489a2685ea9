import { createHash } from 'node:crypto';
import { ALICE, BOB, type TestUser } from '../support/test-users';
import {
  type Answer,
  DEVICE_COOKIE,
  type Jar,
  keepCookies,
  KNOWN_COOKIE,
  SESSION_COOKIE,
  type World,
} from './app';
import type { Run } from './explorer';
import { nameOfBefore, placeOf, type Scenario, userOf } from './scenarios';
import type { Situation } from './situations';

/** What a request was told. */
export interface Reply {
  readonly request: string;
  readonly status: number;
  /**
   * `sent`, `verified`, `cancelled`, `out`, `passed`, `waiting`, `changed`, what was asked for by
   * itself, or the word of the refusal; `nothing` after a crash.
   */
  readonly said: string;
}

/** What a cookie is worth afterwards. */
export interface SessionView {
  /**
   * `before`: the one that all requests left with, `before-there`: those of the other browser;
   * otherwise the request whose answer has set it.
   */
  readonly cookie: string;
  readonly user: string | null;
  readonly hasMark: boolean;
  /** The code the session waits for, and whether it can be entered. */
  readonly waitsFor: Waiting | null;
}

interface Waiting {
  readonly purpose: string;
  /** Empty where no text went out. */
  readonly otpId: string;
  /** Whether a text went out, or is on its way. */
  readonly isSent: boolean;
  /** Whether another session began it. */
  readonly isJoined: boolean;
  /**
   * Whether it is still there, and its code, if there is one, has not been taken by a later text.
   */
  readonly isActive: boolean;
  /** The ids of the texts whose codes are accepted. */
  readonly codes: readonly string[];
}

/** What the requests were told, and what is true afterwards. */
export interface Outcome {
  readonly replies: readonly Reply[];
  readonly sessions: readonly SessionView[];
  /** The OTP ids of the texts that went out in these requests, with the request. */
  readonly texts: readonly { readonly otpId: string; readonly by: string }[];
  /** How often the gateway has judged a code of each text that was tried. */
  readonly judged: readonly number[];
  /** The numbers of the texts whose code was right, and `passkey` for each right response. */
  readonly right: readonly string[];
  /** The purposes of the pending logins whose codes are accepted. */
  readonly texted: readonly string[];
  /** Numbers in the phone book; those that are not confirmed have a question mark. */
  readonly numbers: readonly string[];
  /** Recovery codes that are left. */
  readonly recoveryCodes: number;
  /** Where something went on beside it. */
  readonly beside?: BesideOutcome;
  /** The calls that were done, in their order, without what tells two of a kind apart. */
  readonly done: readonly string[];
  /**
   * After an order in which a call went wrong: whether the person cannot log in half an hour later.
   */
  readonly isShutOut?: boolean;
}

/** What is true of the user's devices and browsers, and of another user. */
export interface BesideOutcome {
  /** The cookies of devices that are trusted, named as those of sessions. */
  readonly trusted: readonly string[];
  /** The cookies of browsers that are known. */
  readonly known: readonly string[];
  /** Recovery codes that the other user has left. */
  readonly recoveryCodes: number;
}

/** An order that was tried, and its answers by the names of the requests. */
interface AnsweredRun extends Run {
  readonly answers: ReadonlyMap<string, Answer>;
}

/** Looks at everything that can be seen from outside, with every cookie that a browser may hold. */
export async function observe(
  world: World,
  scenario: Scenario,
  situation: Situation,
  { crashed, path, answers }: AnsweredRun,
): Promise<Outcome> {
  const requests = [...answers.keys(), ...crashed].toSorted();
  const replies = requests.map((request) => toReply(request, answers.get(request)));
  const isBeside = scenario.beside !== undefined;
  const before = { here: situation.here.jar, there: situation.there.jar };
  const jars = new Map([[nameOfBefore('here'), before.here]]);
  if (scenario.beside?.who === 'browser') jars.set(nameOfBefore('there'), before.there);
  const set = requests.map((request) => [request, answers.get(request)?.cookies ?? NONE] as const);
  const sessions: SessionView[] = [];
  for (const [name, jar] of [...jars, ...set]) {
    const cookie = jar.get(SESSION_COOKIE) ?? '';
    if (cookie !== '' || name === 'before') sessions.push(await look(world, name, cookie));
  }
  const { gateway, now } = world;
  const entries = now.book.list(ALICE.id);
  const numbers = entries.map(({ mobile, isConfirmed }) => `${mobile}${isConfirmed ? '' : '?'}`);
  return {
    replies,
    sessions,
    texts: gateway.texts
      .filter(({ by }) => by !== 'before')
      .map(({ otpId, by }) => ({ otpId, by })),
    judged: [...gateway.judged.values()],
    right: [
      ...Array.from(gateway.right, ({ mobile }) => mobile),
      ...Array.from({ length: world.answered.count }, () => 'passkey'),
    ],
    texted: await world.listTexted(),
    numbers,
    recoveryCodes: await countCodes(world, ALICE),
    done: path.filter((step) => !step.endsWith('!fail')).map((step) => step.replace(/[#!].*/, '')),
    ...(isBeside && { beside: await observeBeside(world, scenario, situation, answers) }),
    ...(path.some((step) => step.includes('!')) && { isShutOut: await cannotLogIn(world) }),
  };
}

function toReply(request: string, answer: Answer | undefined): Reply {
  if (answer === undefined) return { request, status: 0, said: 'nothing' };
  const { status, body } = answer;
  return { request, status, said: toWord(body) };
}

function toWord(body: Answer['body']): string {
  const { error, code, pending } = body;
  if (typeof error === 'string') return pending === true ? `${error}, pending` : error;
  if (typeof code === 'string') return code;
  if (body.sent === true) return 'sent';
  if (body.verified === true) return 'verified';
  if (body.cancelled === true) return 'cancelled';
  if (body.loggedOut === true) return 'out';
  if (body.changed === true) return 'changed';
  if (typeof body.done === 'string') return body.done;
  if (body.challenge !== undefined) return 'challenged';
  if (body.passed === true) return 'passed';
  return body.pending === true ? 'waiting' : 'something';
}

const NONE: Jar = new Map();

/** Devices and browsers: all cookies of these names that were set, and those of before. */
async function observeBeside(
  world: World,
  scenario: Scenario,
  { here, there }: Situation,
  answers: ReadonlyMap<string, Answer>,
): Promise<BesideOutcome> {
  const jars: readonly (readonly [string, Jar])[] = [
    [nameOfBefore('here'), here.deviceJar],
    [nameOfBefore('there'), there.deviceJar],
    ...Array.from(answers, ([request, { cookies }]) => [request, cookies] as const),
  ];
  const known: string[] = [];
  const trusted: string[] = [];
  for (const [name, jar] of jars) {
    const user = userOf(scenario, placeOf(name));
    if (await isKnown(world, user, jar)) known.push(name);
    if (await isTrusted(world, user, jar)) trusted.push(name);
  }
  return { trusted, known, recoveryCodes: await countCodes(world, BOB) };
}

async function isKnown(world: World, { id }: TestUser, jar: Jar): Promise<boolean> {
  const cookie = jar.get(KNOWN_COOKIE) ?? '';
  if (cookie === '') return false;
  return (await world.get(`/known/${id}`, new Map([[KNOWN_COOKIE, cookie]]))).body.isKnown === true;
}

/** Looks for the token where it rests, because a login would put another one in its place. */
async function isTrusted(
  { now: { store } }: World,
  { id: owner }: TestUser,
  jar: Jar,
): Promise<boolean> {
  const [id = '', token = ''] = (jar.get(DEVICE_COOKIE) ?? '').split('.');
  const found = await store.records.find({ kind: 'device', owner, id });
  return found?.tag === createHash('sha256').update(token).digest('base64url');
}

/** Every lock of this long ago is over. */
const LATER_SECONDS = 1_860;

/** Returns whether a right password and a right code in a fresh browser are not enough. */
async function cannotLogIn(world: World): Promise<boolean> {
  const { gateway, now, clock } = world;
  now.preferredFactor = 'sms';
  clock.advanceSeconds(LATER_SECONDS);
  const sent = await world.post('/login', new Map(), { username: ALICE.id, password: 'right' });
  const jar = keepCookies(new Map(), sent);
  const entered = await world.post('/login/pin', jar, { pin: gateway.texts.at(-1)?.pin });
  return entered.body.verified !== true;
}

/** Asks the guard where there is a user; what the session waits for is read where it rests. */
async function look(world: World, cookie: string, value: string): Promise<SessionView> {
  const data = world.sessions.peek(toSessionId(value));
  const { smsOtp } = data ?? {};
  const user = (data as { passport?: { user?: string } } | null)?.passport?.user ?? null;
  const hasMark =
    user !== null &&
    (await world.get('/account', new Map([[SESSION_COOKIE, value]]))).status === 200;
  const { pending } = smsOtp ?? {};
  if (pending === undefined) return { cookie, user, hasMark, waitsFor: null };
  const { purpose, pendingId, isSent, isJoined = false } = pending;
  const live = await world.now.store.pendingLogins.find(pendingId);
  const isThere = live !== null && live !== 'passed';
  const codes = isThere ? live.otps.map((otp) => otp.otpId) : [];
  const [newest] = codes;
  // A session that was told that the text is on its way accepts its code once it is out.
  const otpId = pending.otpId ?? (isSent ? newest : undefined) ?? '';
  const isActive = isThere && (!isSent || newest === otpId);
  return { cookie, user, hasMark, waitsFor: { purpose, otpId, isSent, isJoined, isActive, codes } };
}

async function countCodes({ now: { store } }: World, { id: owner }: TestUser): Promise<number> {
  const of = { kind: 'recovery-codes', owner, id: 'codes' };
  const found = await store.records.find(of);
  // It was written by `recoveryCodes`.
  return found === null ? 0 : (JSON.parse(found.value) as { hashes: string[] }).hashes.length;
}

/** The signed cookie of express-session is `s:<id>.<signature>`. */
function toSessionId(cookie: string): string {
  return decodeURIComponent(cookie).slice(2, -44);
}

/** Writes an outcome as one line. */
export function describe({
  replies,
  sessions,
  texts,
  numbers,
  recoveryCodes,
  beside,
  isShutOut,
}: Outcome): string {
  return [
    replies.map(({ request, status, said }) => `${request} ${status} ${said}`).join(', '),
    sessions.filter(isWorthAWord).map(describeSession).join(', '),
    `texts by ${
      texts
        .map(({ by }) => by)
        .toSorted()
        .join(' ') || 'nobody'
    }`,
    `numbers ${numbers.join(' ')}`,
    `recovery codes ${recoveryCodes}${isShutOut === true ? ' | shut out afterwards' : ''}`,
    ...(beside === undefined ? [] : describeBeside(beside)),
  ].join(' | ');
}

function describeBeside({ trusted, known, recoveryCodes }: BesideOutcome): readonly string[] {
  const list = (names: readonly string[]): string => names.toSorted().join(' ') || 'none';
  return [
    `trusted ${list(trusted)}`,
    `known ${list(known)}`,
    ...(recoveryCodes > 0 ? [`codes of the other user ${recoveryCodes}`] : []),
  ];
}

/** A request without a session gets a cookie that is worth nothing. */
function isWorthAWord(session: SessionView): boolean {
  return session.cookie.startsWith('before') || !isEmpty(session);
}

export function isEmpty({ user, waitsFor }: SessionView): boolean {
  return user === null && waitsFor === null;
}

/**
 * Whether its login has ended, although the session is there: in no situation is a user without a
 * mark.
 */
export function isWorthless({ user, hasMark }: SessionView): boolean {
  return user !== null && !hasMark;
}

function describeSession({ cookie, user, hasMark, waitsFor }: SessionView): string {
  const who = user === null ? 'nobody' : `${user}${hasMark ? ' with mark' : ''}`;
  const waits =
    waitsFor === null
      ? ''
      : ` waits for ${waitsFor.purpose} ${waitsFor.isSent ? waitsFor.otpId : 'without a text'}${waitsFor.isActive ? '' : ' in vain'}`;
  return `${cookie}: ${who}${waits}`;
}
