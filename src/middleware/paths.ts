import type { CheckedOptions, MiddlewareName } from './options';

/** Where the app's pages are, as the browser sees them. */
export interface Paths {
  /** The page for a browser without a user: not logged in, ended, cancelled or logged out. */
  readonly login: string;
  /** The page after a success, unless a guard has kept another one. */
  readonly home: string;
  /** The page that asks for the code of a pending login. */
  readonly code: string;
  /** The page on which a logged-in user confirms with a factor. */
  readonly stepUp: string;
  /** The page on which users change their numbers. */
  readonly settings: string;
}

/** The redirects of a middleware, by the names of its options. */
type Redirects = Readonly<Record<string, string>>;

/** Returns where each middleware leads if its own options do not say so. */
function listDefaults(paths: Paths): Partial<Record<MiddlewareName, Redirects>> {
  const { login, home, code, stepUp, settings } = paths;
  const verify = { successRedirect: home, failureRedirect: code };
  const change = { successRedirect: settings, failureRedirect: settings };
  return {
    firstFactor: { failureRedirect: login },
    send: {
      successRedirect: code,
      failureRedirect: login,
      notRequiredRedirect: home,
      trustedDeviceRedirect: home,
    },
    verify,
    verifyWith: verify,
    resend: { successRedirect: code, failureRedirect: code },
    stepUp: { successRedirect: code, failureRedirect: stepUp },
    cancel: { successRedirect: login, failureRedirect: login },
    logout: { successRedirect: login, failureRedirect: login },
    'phones.enroll': { successRedirect: code, failureRedirect: settings },
    'phones.confirm': { successRedirect: settings, failureRedirect: code },
    'phones.remove': change,
    'phones.setDefault': change,
  };
}

/** Returns the options of a middleware for requests that are answered with a page. */
export function withPaths<Name extends MiddlewareName>(
  name: Name,
  options: CheckedOptions<Name>,
  paths: Paths | undefined,
): CheckedOptions<Name> {
  const defaults = paths && listDefaults(paths)[name];
  if (defaults === undefined) return options;
  const { successRedirect, ...others } = defaults;
  const own = Object.entries(options).filter(([, value]) => value !== undefined);
  // Each default is an option of this middleware, and a string like the option.
  return {
    ...others,
    ...(successRedirect !== undefined && !isTransaction(options) && { successRedirect }),
    ...Object.fromEntries(own),
  } as CheckedOptions<Name>;
}

/**
 * Returns whether the options are for a transaction. The next handler carries it out, so a redirect
 * would leave it undone.
 */
function isTransaction(options: object): boolean {
  return 'purpose' in options && options.purpose === 'transaction';
}
