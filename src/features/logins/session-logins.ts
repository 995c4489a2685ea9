import type {
  PreparedPut,
  RenewedLogin,
  SessionLogins,
  Success,
  Written,
} from '../../core/feature';
import type { Refusal } from '../../core/outcome';
import type { Method } from '../../method';
import type { LoginReference, Visit } from '../../core/visit';
import type { Login } from '../../stores/store';
import type { LoginRegistry, PreparedLogin, WrittenLogin } from './logins';

/** Reads the logins of sessions, and writes the login of a success. */
export interface WritingLogins extends SessionLogins {
  /** Returns the login of a success. After a transaction the login keeps its method. */
  readonly write: (success: Success, visit: Visit) => Promise<Written | Refusal | null>;
}

export function createSessionLogins(registry: LoginRegistry): WritingLogins {
  const requests: Requests = { registry, checked: new WeakMap(), read: new WeakMap() };
  const { checked, read } = requests;

  return {
    isChecked: (request, loginId, atMs) =>
      registry.isChecked(loginId, atMs) || checked.get(request) === loginId,
    isActive: async (request, login) =>
      note(requests, request, login, await registry.isActive(login)),
    async isStillActive(request, login) {
      const active = await registry.findActive(login);
      if (active !== null) read.set(request, active);
      return note(requests, request, login, active !== null);
    },
    write: (success, visit) => write(requests, success, visit),
    renew: (visit, userId, method) => renew(requests, visit, userId, method),
    end: (login) => registry.end(login, 'logout'),
  };
}

/** What requests have found out about their logins. */
interface Requests {
  readonly registry: LoginRegistry;
  /** Requests whose login was found active, however long ago. */
  readonly checked: WeakMap<object, string>;
  /** The record that a request has read. A success replaces it only while it is active. */
  readonly read: WeakMap<object, Login>;
}

function note(
  { checked }: Requests,
  request: object,
  { loginId }: LoginReference,
  isActive: boolean,
): boolean {
  if (isActive) checked.set(request, loginId);
  else checked.delete(request);
  return isActive;
}

async function write(
  requests: Requests,
  { userId, proof, pending, isKept }: Success,
  visit: Visit,
): Promise<Written | Refusal | null> {
  const { registry } = requests;
  const { purpose } = pending;
  // An enrollment renews its login later, after the phone book has changed.
  if (!isKept || purpose === 'enroll') return null;

  const method = purpose === 'transaction' ? undefined : proof;
  const login = purpose === 'login' ? undefined : visit.readLogin();
  if (login === undefined) {
    const label = visit.readLabel();
    const prepared = registry.prepare({ userId, method: method ?? null, label });
    return toWritten(requests, visit, prepared);
  }

  const record = await findRecord(requests, visit, login);
  if (record === null) return { reason: 'login-ended' };
  const next = registry.prepareNext(record, method ?? undefined);
  return { ...toWritten(requests, visit, next), replaces: next.replaces };
}

function toWritten(
  { checked }: Requests,
  { request }: Visit,
  { login, ...prepared }: PreparedLogin,
): Written {
  const done: PreparedPut['done'] = (result) => {
    checked.set(request, login.loginId);
    return prepared.done(result);
  };
  return { puts: [{ ...prepared, done }], kept: { login } };
}

/** Returns the record of the request's login; null: it has ended. */
async function findRecord(
  { registry, read }: Requests,
  { request }: Visit,
  login: LoginReference,
): Promise<Login | null> {
  const known = read.get(request);
  return known?.loginId === login.loginId ? known : registry.findActive(login);
}

async function renew(
  requests: Requests,
  visit: Visit,
  userId: string,
  method: Method,
): Promise<RenewedLogin | null> {
  const renewed = await renewRecord(requests, visit, userId, method);
  if (renewed === null) return null;

  const { login, undo } = renewed;
  const done = (): Promise<void> => {
    requests.checked.set(visit.request, login.loginId);
    return renewed.done();
  };
  return { kept: { login }, done, undo };
}

async function renewRecord(
  { registry }: Requests,
  visit: Visit,
  userId: string,
  method: Method,
): Promise<WrittenLogin | null> {
  const login = visit.readLogin();
  if (login !== undefined) return registry.replace(login, method);
  return registry.begin({ userId, method, label: visit.readLabel() });
}
