import type { AppDescription, AppRequest, AppUser, Fields } from 'passport-sms-otp/testing';
import type { AuditConfig } from './config';

/** A request in the file. `{name}`, `{phone}` and `{password}` stand for those of a user. */
interface Template {
  readonly path: string;
  readonly method?: string | undefined;
  readonly page?: string | undefined;
  readonly fields?: Fields | undefined;
}

interface DescriptionParts extends Pick<AppDescription, 'start' | 'simulator'> {
  /** Waits for `stepUp.waitSeconds`. */
  readonly wait: (milliseconds: number) => Promise<void>;
}

/** Converts the file into a description of the app. */
export function toDescription(
  config: AuditConfig,
  { wait, ...parts }: DescriptionParts,
): AppDescription {
  const { users, logInAs, userWithoutNumber, simulator: _s, start: _t, ...rest } = config;
  const passwordOf = createPasswords(config);
  const toRequest = <Asked extends Template>(asked: Asked) => fillLater(asked, passwordOf);
  const toOptional = (asked: Template | undefined): AppRequest | undefined =>
    asked && toRequest(asked);
  const { stepUp, otherWaysIn, passwordReset, rememberMe } = rest;

  return {
    ...rest,
    ...parts,
    users: users.map(({ name, phone }) => ({ name, phone })),
    login: { ...config.login, password: passwordOf },
    guarded: rest.guarded.map(toRequest),
    logout: toOptional(rest.logout),
    resend: toOptional(rest.resend),
    cancel: toOptional(rest.cancel),
    stepUp: stepUp && {
      ...toRequest(stepUp),
      protects: stepUp.protects?.map(toRequest),
      passTime: () => wait((stepUp.waitSeconds ?? 0) * 1_000),
    },
    passwordReset: passwordReset && {
      ...passwordReset,
      requests: passwordReset.requests.map(toRequest),
    },
    otherWaysIn: otherWaysIn?.map((way) => ({ ...way, requests: way.requests.map(toRequest) })),
    rememberMe: rememberMe && { ...rememberMe, request: toOptional(rememberMe.request) },
    logInAs: logInAs && toLogInAs(logInAs, passwordOf),
    userWithoutNumber: userWithoutNumber?.name,
  };
}

type PasswordOf = (known: AppUser) => string;

function createPasswords({ users, logInAs, userWithoutNumber }: AuditConfig): PasswordOf {
  const people = [...users, ...(logInAs ? [logInAs.by] : []), userWithoutNumber];
  const passwords = new Map(people.map((one) => [one?.name, one?.password]));
  return ({ name }) => passwords.get(name) ?? '';
}

function toLogInAs(
  { by, request, shows }: NonNullable<AuditConfig['logInAs']>,
  passwordOf: PasswordOf,
): AppDescription['logInAs'] {
  const asked = { by, request: fillLater(request, passwordOf) };
  if (shows === undefined) return { ...asked, shows };
  return { ...asked, shows: (known) => fill(shows, known, passwordOf(known)) };
}

/**
 * Fills in path and fields for the user of each request. A path without a placeholder stays as it
 * is.
 */
function fillLater<Asked extends Template>(asked: Asked, passwordOf: PasswordOf) {
  const { path, fields = {} } = asked;
  const isOfUser = /\{(name|phone|password)\}/.test(path);
  const fillPath = (known: AppUser): string =>
    fill(path, known, passwordOf(known), encodeURIComponent);

  return {
    ...asked,
    path: isOfUser ? fillPath : path,
    fields: (known: AppUser): Fields => {
      const filled = Object.entries(fields).map(([key, value]) => [
        key,
        fill(value, known, passwordOf(known)),
      ]);
      return Object.fromEntries(filled) as Fields;
    },
  };
}

function fill(
  given: string,
  { name, phone }: AppUser,
  password: string,
  encode = (value: string): string => value,
): string {
  const values: Readonly<Record<string, string>> = { name, phone, password };
  return given.replaceAll(/\{(name|phone|password)\}/g, (whole, word: string) =>
    encode(values[word] ?? whole),
  );
}
