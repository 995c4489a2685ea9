import type { Strategy } from 'passport';
import type { Response } from 'supertest';
import type supertest from 'supertest';
import { ALICE, type TestApp, type TestUser } from '../../support/test-app';

export type Agent = ReturnType<typeof supertest.agent>;

/** The right password of a user. */
export function passwordOf({ id }: TestUser = ALICE): { username: string; password: string } {
  return { username: id, password: 'right' };
}

/** Gives the right password: a code goes out. */
export async function givePassword(agent: Agent, user: TestUser = ALICE): Promise<Response> {
  return agent.post('/login').send(passwordOf(user));
}

/** Gives the right code. */
export async function giveCode(
  test: TestApp,
  agent: Agent,
  user: TestUser = ALICE,
): Promise<Response> {
  return agent.post('/login/pin').send({ pin: test.code(user) });
}

/** Gives a code that is not the right one. */
export async function giveWrongCode(
  test: TestApp,
  agent: Agent,
  user: TestUser = ALICE,
  path = '/login/pin',
): Promise<Response> {
  return agent.post(path).send({ pin: otherThan(test.code(user)) });
}

export function otherThan(code: string): string {
  return code.replace(/\d$/, (digit) => String((Number(digit) + 1) % 10));
}

/** A browser that has passed both factors. */
export async function logIn(test: TestApp, user: TestUser = ALICE): Promise<Agent> {
  const agent = test.agent();
  await givePassword(agent, user);
  await giveCode(test, agent, user);
  return agent;
}

/** The id of the session an answer gave a cookie for, or undefined. */
export function sessionIdOf({ headers }: Response): string | undefined {
  // superagent types all headers as texts; set-cookie is a list.
  const cookies = (headers as Record<string, unknown>)['set-cookie'];
  const found = /(?:^|,)connect\.sid=s%3A([^.]+)\./.exec(String(cookies));
  return found?.[1] === undefined ? undefined : decodeURIComponent(found[1]);
}

/** What /status says. */
export async function statusOf(agent: Agent): Promise<Record<string, unknown>> {
  return (await agent.get('/status')).body as Record<string, unknown>;
}

/** The strategy that Passport finds by a name. */
export function findStrategy(passport: object, name = 'sms-otp'): Strategy | undefined {
  // Missing in the types of Passport.
  return (Reflect.get(passport, '_strategies') as Record<string, Strategy | undefined>)[name];
}
