import type { Response } from 'supertest';
import type { TestApp } from './test-app';
import { ALICE, type TestUser } from './test-users';

/** A person with a browser of their own. */
export interface Visit {
  readonly user: TestUser;
  readonly login: (as?: TestUser) => Promise<Response>;
  readonly enter: (pin: unknown) => Promise<Response>;
  /** Enters the newest code on the person's phone. */
  readonly enterRight: () => Promise<Response>;
  /** Enters a code that is surely not the newest one. */
  readonly enterWrong: () => Promise<Response>;
  readonly resend: () => Promise<Response>;
  readonly cancel: () => Promise<Response>;
  readonly stepUp: () => Promise<Response>;
  readonly logout: () => Promise<Response>;
  readonly account: () => Promise<Response>;
  readonly status: () => Promise<Response>;
  /** The OTP id the session waits for, or undefined. */
  readonly pendingId: () => Promise<string | undefined>;
}

/** Opens a browser for a user of the test app. */
export function visit(
  test: TestApp,
  user: TestUser = ALICE,
  headers: Record<string, string> = {},
): Visit {
  const agent = test.agent().set(headers);
  const post = async (path: string, body: object = {}): Promise<Response> =>
    agent.post(path).send(body);
  const get = async (path: string): Promise<Response> => agent.get(path);
  return {
    user,
    login: (as = user) => post('/login', { username: as.id, password: 'right' }),
    enter: (pin) => post('/login/pin', { pin }),
    enterRight: () => post('/login/pin', { pin: test.code(user) }),
    enterWrong: () => post('/login/pin', { pin: wrongCode(test.code(user)) }),
    resend: () => post('/login/resend'),
    cancel: () => post('/login/cancel'),
    stepUp: () => post('/step-up'),
    logout: () => post('/logout'),
    account: () => get('/account'),
    status: () => get('/status'),
    pendingId: async () =>
      (await get('/status')).body.session?.pending?.otpId as string | undefined,
  };
}

/** A code of the same length that differs in its last digit. */
export function wrongCode(code: string): string {
  return code.slice(0, -1) + String((Number(code.slice(-1)) + 1) % 10);
}

/** A code was entered so many times, each one wrong. */
export async function enterWrongly(visitor: Visit, times: number): Promise<Response[]> {
  const answers: Response[] = [];
  for (let time = 0; time < times; time += 1) answers.push(await visitor.enterWrong());
  return answers;
}

/** Status and body of an answer. */
export function seen({ status, body }: Response): [number, unknown] {
  return [status, body];
}
