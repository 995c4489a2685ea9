/** A hole of an app, and the page of the documentation that fixes it. */
export interface Hole {
  /** What the hole means, in one sentence. */
  readonly meaning: string;
  /**
   * The page, as a path below the root of the package, with the anchor of a section if there is
   * one.
   */
  readonly page: string;
}

const WAYS_IN = 'docs/go-live.md#before-the-first-user';
const ROUTES = 'docs/quick-start.md#4-into-your-own-app';
const PROXIES = 'docs/behind-a-proxy.md';
const SESSIONS = 'docs/go-live.md#sessions-and-stores';
const LOGINS = 'docs/sessions.md';
const FAILURES = 'docs/how-it-works.md#when-something-fails';
const LIMITS = 'docs/how-it-works.md#default-limits';
const DEVICES = 'docs/trusted-devices.md#trusted-devices';
const NUMBERS = 'docs/phone-numbers.md#who-may-change-numbers';
const REASONS = 'docs/troubleshooting.md#reasons';
const RESPONSIBILITIES = 'docs/audit/threats.md#your-responsibilities';

/**
 * Every hole that the checks can find, by its name. Do not rename one: reports, tests and pages
 * refer to it.
 */
export const HOLES = {
  // Pages.
  'open-page': { meaning: 'A guarded page opens to a stranger.', page: ROUTES },
  'open-by-spelling': {
    meaning: 'A guarded page opens under another spelling, or to HEAD.',
    page: WAYS_IN,
  },
  'open-by-accept': {
    meaning: 'A guarded page opens to a script, or for another type.',
    page: WAYS_IN,
  },
  'open-by-method': {
    meaning: 'A guarded page opens to another method.',
    page: ROUTES,
  },
  'open-by-switch': {
    meaning: 'A parameter, header or code for tests opens a guarded page.',
    page: WAYS_IN,
  },
  'open-after-password': {
    meaning: 'A guarded page opens after the password alone.',
    page: ROUTES,
  },
  'open-after-wrong-code': {
    meaning: 'A guarded page opens after a wrong code.',
    page: ROUTES,
  },
  'open-by-another-mark': {
    meaning: "One user's password and another user's code open a guarded page.",
    page: WAYS_IN,
  },
  'open-when-gateway-fails': {
    meaning: 'A guarded page opens while the gateway fails.',
    page: FAILURES,
  },
  'open-when-no-text': {
    meaning: 'A guarded page opens when no message could be sent.',
    page: FAILURES,
  },
  'open-without-number': {
    meaning: 'The password alone opens a guarded page to users without a number.',
    page: NUMBERS,
  },
  // Other ways in, and ways out.
  'open-after-logout': { meaning: 'A guarded page stays open after the logout.', page: LOGINS },
  'open-by-copied-session': {
    meaning: 'A copied session cookie opens a guarded page after the logout.',
    page: LOGINS,
  },
  'logout-by-get': {
    meaning: 'A link or an image on another site logs the user out.',
    page: 'docs/troubleshooting.md#sms_otp_logout_by_get',
  },
  'open-after-reset': {
    meaning: 'A password reset opens a guarded page.',
    page: WAYS_IN,
  },
  'login-outlives-reset': {
    meaning: 'A login from before a password reset stays valid.',
    page: 'docs/sessions.md#where-you-are-logged-in',
  },
  'open-by-another-way': {
    meaning: 'A mail link, token, sign-up or API key opens a guarded page.',
    page: WAYS_IN,
  },
  'refusal-leads-nowhere': {
    meaning: 'A browser whose login ended elsewhere is redirected endlessly.',
    page: 'docs/troubleshooting.md#sms_otp_redirect_loop',
  },
  'open-by-remember-me': {
    meaning: 'A remember-me cookie opens a guarded page without a code.',
    page: 'docs/recipes/remember-me.md',
  },
  'open-by-log-in-as': {
    meaning: '"Log in as" opens a guarded page of the other user.',
    page: WAYS_IN,
  },
  'open-by-trusted-device': {
    meaning: "A trusted device's cookie works without a password, or for another user.",
    page: DEVICES,
  },
  // Sessions.
  'session-kept-at-password': {
    meaning: 'The right password does not change the session id.',
    page: SESSIONS,
  },
  'session-kept-at-code': {
    meaning: 'The right code does not change the session id.',
    page: SESSIONS,
  },
  'session-kept-at-step-up': {
    meaning: 'The session from before a step-up still opens a guarded page.',
    page: LOGINS,
  },
  'step-up-not-asked': {
    meaning: 'A request that needs a step-up works without one.',
    page: LOGINS,
  },
  'cookie-for-scripts': {
    meaning: 'The session cookie is not HttpOnly: scripts can read it.',
    page: SESSIONS,
  },
  'cookie-for-other-sites': {
    meaning: "The session cookie has no SameSite: other sites' forms carry it.",
    page: SESSIONS,
  },
  'cookie-over-http': {
    meaning: 'The session cookie is not Secure although the site uses https.',
    page: PROXIES,
  },
  // Codes.
  'guesses-not-counted': {
    meaning: 'The right code works after five wrong ones.',
    page: LIMITS,
  },
  'code-twice': { meaning: 'A used code logs in again.', page: ROUTES },
  'code-without-password': {
    meaning: 'The code logs in a browser that gave no password.',
    page: ROUTES,
  },
  'code-of-another-login': {
    meaning: 'A code sent for one login passes another.',
    page: ROUTES,
  },
  'code-out-of-date': {
    meaning: 'An expired code works.',
    page: FAILURES,
  },
  'code-after-cancel': { meaning: 'A cancelled login can be completed.', page: ROUTES },
  // Messages.
  'no-code': {
    meaning: 'The right password sends no code: something else answers.',
    page: 'docs/troubleshooting.md#no-text-came',
  },
  'code-opens-nothing': {
    meaning: 'The right code opens no guarded page.',
    page: 'docs/troubleshooting.md#the-code-is-right-and-the-account-stays-closed',
  },
  'text-after-wrong-password': {
    meaning: 'A wrong password sends a message or begins a login.',
    page: ROUTES,
  },
  'text-to-any-number': {
    meaning: 'The request chooses the number that gets the code.',
    page: RESPONSIBILITIES,
  },
  'texts-not-limited': {
    meaning: 'Every repeated password or "send again" sends another message.',
    page: LIMITS,
  },
  'text-by-another-site': {
    meaning: 'A form on another site makes the app send messages.',
    page: WAYS_IN,
  },
  'text-by-link': {
    meaning: 'A link or an image makes the app send messages.',
    page: WAYS_IN,
  },
  'number-by-password': {
    meaning: 'The password alone is enough to add a number.',
    page: NUMBERS,
  },
  // Answers.
  'code-in-answer': { meaning: 'An answer shows the code.', page: RESPONSIBILITIES },
  'number-in-answer': {
    meaning: 'An answer shows the whole number before the code.',
    page: RESPONSIBILITIES,
  },
  'secret-in-answer': {
    meaning: 'An answer shows a password or a secret of the description.',
    page: 'docs/go-live.md#secrets',
  },
  'redirect-to-other-site': {
    meaning: 'The request can lead the login to another site.',
    page: RESPONSIBILITIES,
  },
  'redirect-by-host': {
    meaning: 'A request header decides to which host the login leads.',
    page: PROXIES,
  },
  'readable-by-other-sites': {
    meaning: "CORS lets every site read a guarded page with the user's cookies.",
    page: RESPONSIBILITIES,
  },
  'kept-by-caches': {
    meaning: 'A shared cache may show a guarded page to other users.',
    page: RESPONSIBILITIES,
  },
  'refusal-without-notice': {
    meaning: 'A refusal shows the user no explanation.',
    page: REASONS,
  },
  'odd-body-fails': {
    meaning: 'An unexpected request body causes a server error.',
    page: RESPONSIBILITIES,
  },
  'tells-user-names': {
    meaning: 'A wrong password reveals whether the user exists.',
    page: RESPONSIBILITIES,
  },
  // Proxies.
  'address-by-client': {
    meaning: 'The client chooses the address by which it is limited.',
    page: 'docs/troubleshooting.md#sms_otp_trusts_any_proxy',
  },
  'one-address-for-all': {
    meaning: "All users share the proxy's address and its limits.",
    page: 'docs/troubleshooting.md#sms_otp_trusts_no_proxy',
  },
} as const satisfies Readonly<Record<string, Hole>>;

export type HoleName = keyof typeof HOLES;
