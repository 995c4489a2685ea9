import { ALICE } from '../support/test-users';
import { type Answer, SESSION_COOKIE, type World } from './app';
import type { Run } from './explorer';

/** What a request was told. */
export interface Reply {
  readonly request: string;
  readonly status: number;
  /** `sent`, `verified`, `cancelled`, `out`, `passed`, `waiting`, or the word of the refusal; `nothing` after a crash. */
  readonly said: string;
}

/** What a cookie is worth afterwards. */
export interface SessionView {
  /** `before`: the one that all requests left with; otherwise the request whose answer has set it. */
  readonly cookie: string;
  readonly user: string | null;
  readonly hasMark: boolean;
  /** The code the session waits for, and whether it can be entered. */
  readonly waitsFor: { readonly purpose: string; readonly otpId: string; readonly isLive: boolean } | null;
}

/** What the requests were told, and what is true afterwards. */
export interface Outcome {
  readonly replies: readonly Reply[];
  readonly sessions: readonly SessionView[];
  /** The OTP ids of the texts that went out in these requests, with the request. */
  readonly texts: readonly { readonly otpId: string; readonly by: string }[];
  /** The OTP id the session waited for before. */
  readonly judged: readonly number[];
  readonly right: readonly number[];
  readonly numbers: readonly string[];
}

/** Looks at everything that can be seen from outside, with every cookie that a browser may hold. */
export async function observe(
  world: World,
  before: string,
  answers: ReadonlyMap<string, Answer>,
  { crashed }: Run,
): Promise<Outcome> {
  const requests = [...answers.keys(), ...crashed].toSorted();
  const replies = requests.map((request) => toReply(request, answers.get(request)));
  const cookies = new Map([['before', before]]);
  for (const request of requests) {
    const cookie = answers.get(request)?.cookies.get(SESSION_COOKIE) ?? '';
    if (cookie !== '') cookies.set(request, cookie);
  }
  const sessions: SessionView[] = [];
  for (const [name, cookie] of cookies) sessions.push(await look(world, name, cookie));
  const { gateway, now } = world;
  const numbers = now.book.list(ALICE.id).map(({ mobile, isConfirmed }) => `${mobile}${isConfirmed ? '' : '?'}`);
  return {
    replies,
    sessions,
    texts: gateway.texts.filter(({ by }) => by !== 'before').map(({ otpId, by }) => ({ otpId, by })),
    judged: [...gateway.judged.values()],
    right: [...gateway.right.values()],
    numbers: await Promise.resolve(numbers),
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
  if (code !== undefined) return String(code);
  if (body.sent === true) return 'sent';
  if (body.verified === true) return 'verified';
  if (body.cancelled === true) return 'cancelled';
  if (body.out === true) return 'out';
  if (body.passed === true) return 'passed';
  return body.pending === true ? 'waiting' : 'something';
}

async function look(world: World, cookie: string, value: string): Promise<SessionView> {
  const { body } = await world.get('/session', new Map([[SESSION_COOKIE, value]]));
  const { user, hasMark, purpose, otpId } = body as Record<'user' | 'purpose' | 'otpId', string | null> & {
    hasMark: boolean;
  };
  if (otpId === null || purpose === null) return { cookie, user, hasMark, waitsFor: null };
  const live = await world.now.store.challenges.find(otpId);
  // A login that waits without a text waits for another factor.
  const isLive = live !== null && (live.hasLiveCode || !live.challenge.isSent);
  return { cookie, user, hasMark, waitsFor: { purpose, otpId, isLive } };
}

/** Writes an outcome as one line. */
export function describe({ replies, sessions, texts, numbers, judged }: Outcome): string {
  return [
    replies.map(({ request, status, said }) => `${request} ${status} ${said}`).join(', '),
    sessions.map(describeSession).join(', '),
    `texts ${texts.map(({ by }) => by).toSorted().join(' ') || '-'}`,
    `numbers ${numbers.join(' ')}`,
    `judged ${judged.join(' ') || '-'}`,
  ].join(' | ');
}

function describeSession({ cookie, user, hasMark, waitsFor }: SessionView): string {
  const who = user === null ? 'nobody' : `${user}${hasMark ? ' with mark' : ''}`;
  const waits = waitsFor === null ? '' : ` waits for ${waitsFor.otpId}${waitsFor.isLive ? '' : ' in vain'}`;
  return `${cookie}: ${who}${waits}`;
}
