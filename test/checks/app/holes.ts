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
    meaning: 'A guarded page opens under another spelling of its address, or to HEAD.',
    page: WAYS_IN,
  },
  'open-by-accept': {
    meaning: 'A guarded page opens to a script, or to a client that asks for another type.',
    page: WAYS_IN,
  },
  'open-by-method': {
    meaning: 'A guarded address answers to another method without the second factor.',
    page: ROUTES,
  },
  'open-by-switch': {
    meaning: 'A parameter, a header or a code for tests opens a guarded page.',
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
    meaning: "A guarded page opens after one user's password and another user's code.",
    page: WAYS_IN,
  },
  'open-when-gateway-fails': {
    meaning: 'A guarded page opens while the gateway cannot check the code.',
    page: FAILURES,
  },
  'open-when-no-text': {
    meaning: 'A guarded page opens after the password because no message could be sent.',
    page: FAILURES,
  },
  'open-without-number': {
    meaning: 'A guarded page opens after the password of a user who has no number.',
    page: NUMBERS,
  },
  // Other ways in, and ways out.
  'open-after-logout': { meaning: 'A guarded page stays open after the logout.', page: LOGINS },
  'open-by-copied-session': {
    meaning: 'A session cookie that was copied before the logout opens a guarded page after it.',
    page: LOGINS,
  },
  'logout-by-get': {
    meaning: 'A GET logs out: a link or an image on another site ends the login.',
    page: 'docs/troubleshooting.md#sms_otp_logout_by_get',
  },
  'open-after-reset': {
    meaning: 'A password reset opens a guarded page.',
    page: WAYS_IN,
  },
  'login-outlives-reset': {
    meaning: 'A login from before a password reset goes on after it.',
    page: 'docs/sessions.md#where-you-are-logged-in',
  },
  'open-by-another-way': {
    meaning: 'A link by mail, a token, a sign-up or an API key opens a guarded page.',
    page: WAYS_IN,
  },
  'refusal-leads-nowhere': {
    meaning: 'After a login has ended elsewhere, its browser is redirected without an end.',
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
    meaning:
      "A trusted device's cookie opens a guarded page without a password, or to another user.",
    page: DEVICES,
  },
  // Sessions.
  'session-kept-at-password': {
    meaning: 'The session keeps its id when the right password is given.',
    page: SESSIONS,
  },
  'session-kept-at-code': {
    meaning: 'The session keeps its id when the right code is given.',
    page: SESSIONS,
  },
  'session-kept-at-step-up': {
    meaning: 'The session from before a step-up still opens a guarded page.',
    page: LOGINS,
  },
  'step-up-not-asked': {
    meaning: 'A request that needs a step-up is obeyed without one.',
    page: LOGINS,
  },
  'cookie-for-scripts': {
    meaning: 'The session cookie is not HttpOnly: scripts of the page can read it.',
    page: SESSIONS,
  },
  'cookie-for-other-sites': {
    meaning: 'The session cookie has no SameSite: browsers send it with forms of other sites.',
    page: SESSIONS,
  },
  'cookie-over-http': {
    meaning: 'The session cookie is not Secure although the site is reached over https.',
    page: PROXIES,
  },
  // Codes.
  'guesses-not-counted': {
    meaning: 'The right code is accepted after five wrong ones.',
    page: LIMITS,
  },
  'code-twice': { meaning: 'A code that has been used logs in once more.', page: ROUTES },
  'code-without-password': {
    meaning: 'The code logs in a browser in which no password was given.',
    page: ROUTES,
  },
  'code-of-another-login': {
    meaning: 'A code that was sent for one login passes another one.',
    page: ROUTES,
  },
  'code-out-of-date': {
    meaning: 'A code is accepted after the gateway has let it expire.',
    page: FAILURES,
  },
  'code-after-cancel': { meaning: 'A login that was cancelled can be completed.', page: ROUTES },
  // Texts.
  'no-code': {
    meaning: 'The right password sends no code: something else answers the request.',
    page: 'docs/troubleshooting.md#no-text-came',
  },
  'code-opens-nothing': {
    meaning: 'The right code opens no guarded page.',
    page: 'docs/troubleshooting.md#the-code-is-right-and-the-account-stays-closed',
  },
  'text-after-wrong-password': {
    meaning: 'A message goes out, or a login begins, after a wrong password.',
    page: ROUTES,
  },
  'text-to-any-number': {
    meaning: 'The request chooses the number that the code goes to.',
    page: RESPONSIBILITIES,
  },
  'texts-not-limited': {
    meaning: 'Every repeated password or "send again" sends another message.',
    page: LIMITS,
  },
  'text-by-another-site': {
    meaning: 'A form on another site makes the app send messages to its visitors.',
    page: WAYS_IN,
  },
  'text-by-link': {
    meaning: 'A link or an image makes the app send messages to its visitors.',
    page: WAYS_IN,
  },
  'number-by-password': {
    meaning: 'A new number can be added after the password alone.',
    page: NUMBERS,
  },
  // Answers.
  'code-in-answer': { meaning: 'An answer shows the code.', page: RESPONSIBILITIES },
  'number-in-answer': {
    meaning: 'An answer shows the whole number before the code was given.',
    page: RESPONSIBILITIES,
  },
  'secret-in-answer': {
    meaning: 'An answer shows a secret: a password, or one that the description names.',
    page: 'docs/go-live.md#secrets',
  },
  'redirect-to-other-site': {
    meaning: 'The request chooses another site to go to after the login.',
    page: RESPONSIBILITIES,
  },
  'redirect-by-host': {
    meaning: 'A header of the request decides to which host the login leads.',
    page: PROXIES,
  },
  'readable-by-other-sites': {
    meaning: 'CORS lets every other site read a guarded page with the cookies of the user.',
    page: RESPONSIBILITIES,
  },
  'kept-by-caches': {
    meaning: 'A shared cache may keep a guarded page and show it to other users.',
    page: RESPONSIBILITIES,
  },
  'refusal-without-notice': {
    meaning: 'A refusal is not explained to the person who reads the page.',
    page: REASONS,
  },
  'odd-body-fails': {
    meaning: 'A body of an unexpected form ends in an error of the server.',
    page: RESPONSIBILITIES,
  },
  'tells-user-names': {
    meaning: 'The answer to a wrong password shows whether the user exists.',
    page: RESPONSIBILITIES,
  },
  // Proxies.
  'address-by-client': {
    meaning: 'The client chooses the address by which it is limited.',
    page: 'docs/troubleshooting.md#sms_otp_trusts_any_proxy',
  },
  'one-address-for-all': {
    meaning: "All users share the proxy's address, and so its limits.",
    page: 'docs/troubleshooting.md#sms_otp_trusts_no_proxy',
  },
} as const satisfies Readonly<Record<string, Hole>>;

export type HoleName = keyof typeof HOLES;
