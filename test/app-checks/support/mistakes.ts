import { isIP } from 'node:net';
import type { RequestHandler } from 'express';
import type { HoleName } from 'passport-sms-otp/testing';
import {
  findRemembered,
  giveRememberCookie,
  input,
  type Kit,
  logInByPassport,
  type Mistake,
  PRIVATE_KEY,
  readCookie,
  readField,
  readNotice,
  SESSION_COOKIE,
  takeReset,
  toAccount,
  toUser,
} from './base-app';
import {
  addHandMade,
  guardWith,
  type HandMade,
  isLoggedIn,
  LACKS_BY_HAND,
  phoneOf,
} from './hand-made';

/** A mistake that apps make, and the hole that it is. */
export interface Planted extends Mistake {
  readonly hole: HoleName;
  readonly title: string;
  /** Holes that come with it. */
  readonly also?: readonly HoleName[];
}

type Change = (kit: Kit) => void;

const planted = (
  hole: HoleName,
  title: string,
  change: Change,
  more: Mistake & Pick<Planted, 'also'> = {},
): Planted => ({
  hole,
  title,
  change,
  ...more,
});

const handMade = (
  hole: HoleName,
  title: string,
  made: HandMade,
  also: readonly HoleName[] = [],
): Planted => planted(hole, title, (kit) => addHandMade(kit, made), { lacks: LACKS_BY_HAND, also });

/** The middlewares that send act on POST alone: this takes that protection away. */
const passAsPost: RequestHandler = (req, _res, next) => {
  req.method = 'POST';
  next();
};

/** Adds handlers in front of those of a route. */
function prepend({ routes }: Kit, name: string, ...handlers: RequestHandler[]): void {
  routes.set(name, [...handlers, ...(routes.get(name) ?? [])]);
}

/** Replaces a text of a page. */
function replaceOnPage({ before }: Kit, path: string, change: (html: string) => string): void {
  before.push((req, res, next) => {
    const send = res.send.bind(res);
    if (req.path === path && req.method === 'GET')
      res.send = (body: unknown) => send(typeof body === 'string' ? change(body) : body);
    next();
  });
}

const pages: readonly Planted[] = [
  planted('open-page', 'the guard of one page was forgotten', ({ routes }) => {
    routes.set('GET /settings', (routes.get('GET /settings') ?? []).slice(1));
  }),
  planted('open-by-spelling', 'a guard compares the path as text', (kit) => {
    const guard = kit.smsOtp.requireSecondFactor({ redirect: '/login' });
    kit.before.push((req, res, next) => {
      if (['/account', '/settings', '/transfer'].includes(req.path)) guard(req, res, next);
      else next();
    });
    kit.routes.set('GET /settings', [(req, res) => void res.send(kit.page(req, 'Settings'))]);
  }),
  planted('open-by-accept', 'the guard leaves out scripts', (kit) => {
    const guard = kit.smsOtp.requireSecondFactor({ redirect: '/login' });
    guardWith(kit, (req, res, next) => {
      req.user ??= toUser({ id: 'nobody', password: '', isAdmin: false });
      if (req.xhr) next();
      else guard(req, res, next);
    });
  }),
  planted(
    'open-after-password',
    'an old guard believes a mark of the password',
    (kit) => {
      kit.routes.set('POST /login', [
        ...(kit.routes.get('POST /login') ?? []).slice(0, 1),
        (req, _res, next) => {
          req.session.memberId = toAccount(req.user).id;
          next();
        },
        kit.smsOtp.send({ successRedirect: '/login/pin', failureRedirect: '/login' }),
      ]);
      believeMember(kit);
    },
    { options: () => ({ keepSessionKeys: ['memberId'] }) },
  ),
  planted(
    'open-after-wrong-code',
    "a custom callback does not look at Passport's user",
    (kit) => {
      kit.routes.set('POST /login/pin', [
        (req, res, next) => {
          const done = (error: unknown): void => {
            if (error) return next(error);
            req.session.memberId = 'alice';
            res.redirect(303, '/account');
          };
          (kit.passport.authenticate('sms-otp', done) as RequestHandler)(req, res, next);
        },
      ]);
      believeMember(kit);
    },
    { also: ['refusal-without-notice', 'session-kept-at-code'] },
  ),
  planted(
    'open-by-another-mark',
    'a mark of its own outlives the user who has earned it',
    (kit) => {
      kit.routes.set('POST /login/pin', [
        kit.smsOtp.verify({ failureRedirect: '/login/pin' }),
        (req, res) => {
          req.session.memberId = toAccount(req.user).id;
          res.redirect(303, '/account');
        },
      ]);
      believeMember(kit);
    },
    { options: () => ({ keepSessionKeys: ['memberId'] }), also: ['login-outlives-reset'] },
  ),
  planted(
    'open-when-gateway-fails',
    'an error of the gateway counts as success',
    (kit) => {
      const verify = kit.smsOtp.verify({ failureRedirect: '/login/pin' });
      kit.routes.set('POST /login/pin', [
        (req, res) =>
          verify(req, res, (error?: unknown) => {
            if (error !== undefined) req.session.memberId = 'alice';
            else if (req.user) req.session.memberId = toAccount(req.user).id;
            res.redirect(303, '/account');
          }),
      ]);
      believeMember(kit);
    },
    { also: ['login-outlives-reset'] },
  ),
  planted(
    'open-when-no-text',
    'a text that cannot be sent is not waited for',
    (kit) => {
      kit.routes.set('POST /login', [
        ...(kit.routes.get('POST /login') ?? []).slice(0, 1),
        (req, res, next) => {
          const account = toAccount(req.user);
          kit.client.otp.generate({ mobile: phoneOf(kit, account.id) }).then(
            () => kit.smsOtp.send({ successRedirect: '/login/pin' })(req, res, next),
            () => logInByPassport(req, res, account, '/account'),
          );
        },
      ]);
      guardWith(kit, isLoggedIn);
    },
    {
      also: [
        'login-outlives-reset',
        'open-by-log-in-as',
        'open-without-number',
        'texts-not-limited',
      ],
    },
  ),
  planted(
    'open-without-number',
    'users without a number need no second factor, and the guard lets them pass',
    (kit) => {
      guardWith(kit, kit.smsOtp.requireSecondFactor({ allowNotRequired: true }));
    },
    {
      options: ({ book }) => ({
        isRequiredFor: (user) => book.list(toAccount(user).id).length > 0,
      }),
    },
  ),
];

/** A guard that asks the session for a key of the app's own. */
function believeMember(kit: Kit): void {
  guardWith(kit, (req, res, next) => {
    const account = kit.accounts.get(req.session.memberId ?? '');
    if (account === undefined) return res.redirect(303, '/login');
    req.user = toUser(account);
    next();
  });
}

const logins: readonly Planted[] = [
  planted(
    'open-after-logout',
    'the logout clears a cookie of another name',
    ({ routes }) => {
      routes.set('POST /logout', [
        (_req, res) => res.clearCookie('connect.sid').redirect(303, '/login'),
      ]);
    },
    { also: ['open-by-copied-session'] },
  ),
  planted(
    'open-by-copied-session',
    'the logout clears the cookie and nothing else',
    ({ routes }) => {
      routes.set('POST /logout', [
        (_req, res) => res.clearCookie(SESSION_COOKIE).redirect(303, '/login'),
      ]);
    },
  ),
  planted('logout-by-get', 'the logout is a link', ({ routes, smsOtp }) => {
    routes.set('GET /logout', [smsOtp.logout({ successRedirect: '/login' })]);
  }),
  planted(
    'open-after-reset',
    'a password reset logs in',
    (kit) => {
      kit.routes.set('POST /reset/confirm', [
        (req, res) => {
          const account = takeReset(kit, req);
          if (account === undefined) return void res.sendStatus(400);
          void kit.smsOtp.logins.revokeAll(account.id);
          logInByPassport(req, res, account, '/account');
        },
      ]);
      guardWith(kit, isLoggedIn);
    },
    { also: ['login-outlives-reset', 'open-by-log-in-as'] },
  ),
  planted('login-outlives-reset', 'a password reset ends no login', (kit) => {
    kit.routes.set('POST /reset/confirm', [
      (req, res) => res.redirect(303, takeReset(kit, req) === undefined ? '/reset' : '/login'),
    ]);
  }),
  planted(
    'open-by-remember-me',
    'remember-me is mounted for every page',
    (kit) => {
      kit.before.push((req, res, next) => {
        const account = findRemembered(kit, req);
        if (account === undefined || req.user) return next();
        logInByPassport(req, res, account, req.originalUrl);
      });
      guardWith(kit, isLoggedIn);
    },
    { also: ['login-outlives-reset', 'open-by-log-in-as'] },
  ),
  planted(
    'open-by-remember-me',
    'remember-me is issued after the password, and logs in',
    (kit) => {
      kit.routes.set('POST /login', [
        ...(kit.routes.get('POST /login') ?? []).slice(0, 1),
        (req, res, next) => {
          if (readField(req, 'remember') === 'on') giveRememberCookie(res, toAccount(req.user));
          next();
        },
        kit.smsOtp.send({ successRedirect: '/login/pin', failureRedirect: '/login' }),
      ]);
      kit.routes.set('POST /login/remembered', [
        (req, res) => {
          const account = findRemembered(kit, req);
          if (account === undefined) res.redirect(303, '/login');
          else logInByPassport(req, res, account, '/account');
        },
      ]);
      guardWith(kit, isLoggedIn);
    },
    { also: ['login-outlives-reset', 'open-by-log-in-as'] },
  ),
  planted(
    'open-by-log-in-as',
    '"log in as" logs in by Passport, as the guard asks',
    (kit) => {
      guardWith(kit, isLoggedIn);
    },
    { also: ['login-outlives-reset'] },
  ),
  planted(
    'open-by-log-in-as',
    'the password alone is enough for "log in as"',
    (kit) => {
      kit.routes.set('POST /log-in-as', [
        (req, res) => {
          const target = kit.accounts.get(readField(req, 'username'));
          if (req.session.smsOtp === undefined || target === undefined)
            return void res.sendStatus(403);
          logInByPassport(req, res, target, '/account');
        },
      ]);
      guardWith(kit, isLoggedIn);
    },
    { also: ['login-outlives-reset'] },
  ),
  planted(
    'open-by-trusted-device',
    "a device's cookie names the user who is logged in",
    (kit) => {
      kit.before.push((req, res, next) => {
        if (readField(req, 'trustDevice') === 'on' && req.path === '/login/pin')
          res.cookie('device', phoneOf(kit, req.session.smsOtp?.login?.userId ?? 'alice'));
        const phone = decodeURIComponent(readCookie(req, 'device'));
        const owner = Array.from(kit.accounts.values()).find(
          ({ id }) => phoneOf(kit, id) === phone,
        );
        if (phone === '' || owner === undefined || req.user) return next();
        logInByPassport(req, res, owner, req.originalUrl);
      });
      guardWith(kit, isLoggedIn);
    },
    { also: ['login-outlives-reset', 'open-by-log-in-as'] },
  ),
];

const sessions: readonly Planted[] = [
  handMade('session-kept-at-password', 'a login made by hand keeps the session at the password', {
    renewsAtPassword: false,
  }),
  handMade('session-kept-at-code', 'a login made by hand keeps the session at the code', {
    renewsAtCode: false,
  }),
  planted('session-kept-at-step-up', 'a step-up made by hand keeps the session', (kit) => {
    const otpIds = new Map<string, string>();
    kit.routes.set('POST /step-up', [
      async (req, res) => {
        const { id: userId } = toAccount(req.user);
        const { id } = await kit.client.otp.generate({ mobile: phoneOf(kit, userId) });
        otpIds.set(userId, id);
        res.redirect(303, '/step-up/pin');
      },
    ]);
    kit.routes.set('POST /step-up/pin', [
      async (req, res) => {
        const { id: userId } = toAccount(req.user);
        const sent = { id: otpIds.get(userId) ?? '', mobile: phoneOf(kit, userId) };
        await kit.client.otp.validate({ ...sent, pin: readField(req, 'pin') });
        res.redirect(303, '/account');
      },
    ]);
  }),
  planted('cookie-for-scripts', 'scripts can read the session cookie', () => undefined, {
    session: { httpOnly: false },
  }),
  planted('cookie-for-other-sites', 'the session cookie has no SameSite', () => undefined, {
    session: { sameSite: false },
  }),
  planted('cookie-over-http', 'the session cookie is sent over http too', () => undefined, {
    session: { secure: false },
  }),
];

const codes: readonly Planted[] = [
  handMade('guesses-not-counted', 'a login made by hand counts no guesses', {
    countsGuesses: false,
  }),
  handMade(
    'code-twice',
    'all codes of a user count, and one that the gateway calls used is right',
    {
      limitsTexts: false,
      codesOf: ({ session }, out) => out.filter(({ userId }) => userId === session.waiting?.userId),
      rightCodes: [2109],
    },
    ['texts-not-limited'],
  ),
  handMade(
    'code-without-password',
    'a login is found by its code, not by the session',
    {
      codesOf: (_req, out) => out,
    },
    ['code-of-another-login'],
  ),
  handMade('code-of-another-login', 'any code that is out passes a session that waits', {
    codesOf: (req, out) => (req.session.waiting === undefined ? [] : out),
  }),
  handMade('code-out-of-date', 'a code that the gateway calls expired counts as right', {
    rightCodes: [2108],
  }),
  planted('code-after-cancel', 'cancel leads back and ends nothing', ({ routes }) => {
    routes.set('POST /login/cancel', [(_req, res) => res.redirect(303, '/login')]);
  }),
];

const texts: readonly Planted[] = [
  planted('no-code', '`successRedirect` is left on the first factor', ({ routes, passport }) => {
    const options = { successRedirect: '/account', failureRedirect: '/login?wrong' };
    prepend(
      { routes } as Kit,
      'POST /login',
      passport.authenticate('local', options) as RequestHandler,
    );
  }),
  planted('code-opens-nothing', 'the guard is for another instance of the package', (kit) => {
    guardWith(kit, (req, res, next) => {
      const user = req.user;
      if (user && toAccount(user).isAdmin) next();
      else res.redirect(303, '/login');
    });
  }),
  planted(
    'text-after-wrong-password',
    'a promise of the password check is not awaited',
    (kit) => {
      const isRight = async ({ password }: { password: string }, given: string): Promise<boolean> =>
        Promise.resolve(password === given);
      kit.routes.set('POST /login', [
        (req, res, next) => {
          const account = kit.accounts.get(readField(req, 'username'));
          // The mistake of this app.
          // eslint-disable-next-line @typescript-eslint/no-misused-promises, @typescript-eslint/no-unnecessary-condition
          if (account === undefined || !isRight(account, readField(req, 'password')))
            return res.redirect(303, '/login?wrong');
          [req.user, req.authInfo] = [toUser(account), {}];
          next();
        },
        kit.smsOtp.send({ successRedirect: '/login/pin', failureRedirect: '/login' }),
      ]);
    },
    { also: ['tells-user-names'] },
  ),
  planted(
    'text-to-any-number',
    'the text goes to the number of the form',
    (kit) => {
      addHandMade(kit);
      kit.routes.set('POST /login', [
        ...(kit.routes.get('POST /login') ?? []).slice(0, 1),
        async (req, res) => {
          const { id: userId } = toAccount(req.user);
          const mobile = readField(req, 'phone') || phoneOf(kit, userId);
          const { id: otpId } = await kit.client.otp.generate({ mobile });
          delete req.session.memberId;
          req.session.waiting = { otpId, userId, guesses: 0 };
          res.redirect(303, '/login/pin');
        },
      ]);
    },
    { also: ['session-kept-at-password', 'texts-not-limited'], lacks: LACKS_BY_HAND },
  ),
  planted(
    'texts-not-limited',
    '"send again" calls the gateway itself',
    (kit) => {
      kit.routes.set('POST /login/pin/resend', [
        async (req, res) => {
          const otpId = req.session.smsOtp?.pending?.otpId;
          const text = kit.simulator.outbox.find(({ id }) => id === otpId);
          if (text !== undefined) await kit.client.otp.generate({ mobile: text.mobile });
          res.redirect(303, '/login/pin');
        },
      ]);
    },
    { also: ['refusal-without-notice'] },
  ),
  handMade('texts-not-limited', 'a login made by hand texts at every password', {
    limitsTexts: false,
  }),
  planted('text-by-another-site', 'no CSRF token, and cookies for other sites', () => undefined, {
    hasNoCsrf: true,
    session: { sameSite: 'none', secure: true },
  }),
  planted('text-by-link', '"send again" is a link that passes for a POST', (kit) => {
    kit.routes.set('GET /login/pin/resend', [
      passAsPost,
      ...(kit.routes.get('POST /login/pin/resend') ?? []),
    ]);
  }),
  planted('text-by-link', 'the step-up is a link that passes for a POST', (kit) => {
    kit.routes.set('GET /step-up', [passAsPost, ...(kit.routes.get('POST /step-up') ?? [])]);
  }),
  planted('number-by-password', 'a new number is texted by the app itself', (kit) => {
    kit.routes.set('POST /settings/phone', [
      async (req, res) => {
        const isKnown = req.user ?? req.session.smsOtp?.pending;
        if (!isKnown) return res.redirect(303, '/login');
        await kit.client.otp.generate({ mobile: readField(req, 'phone') });
        res.redirect(303, '/settings/phone/pin');
      },
    ]);
  }),
];

const answers: readonly Planted[] = [
  planted('code-in-answer', 'a help for testers is left on the page', (kit) => {
    replaceOnPage(kit, '/login/pin', (html) => {
      const { pin = '' } = kit.simulator.outbox.at(-1) ?? {};
      return html.replace('name="pin" value=""', `name="pin" value="${pin}"`);
    });
  }),
  planted('number-in-answer', 'the page of the code shows the whole number', (kit) => {
    replaceOnPage(kit, '/login/pin', (html) => {
      const { mobile = '' } = kit.simulator.outbox.at(-1) ?? {};
      return html.replace(/We texted [^<\n]*/, `We texted ${mobile.replace('+1', '(1) ')}.`);
    });
  }),
  planted('secret-in-answer', "the page has the app's configuration in it", (kit) => {
    const config = JSON.stringify({ appName: 'Bank', signingKey: PRIVATE_KEY });
    replaceOnPage(kit, '/login/pin', (html) => `${html}<script>config = ${config}</script>`);
  }),
  planted('secret-in-answer', 'the answer holds the user as the database has it', (kit) => {
    kit.routes.set('GET /account', [
      kit.smsOtp.requireSecondFactor({ redirect: '/login' }),
      (req, res) => void res.json({ user: toAccount(req.user) }),
    ]);
  }),
  planted('redirect-to-other-site', 'the login goes wherever `returnTo` says', (kit) => {
    kit.routes.set('POST /login/pin', [
      kit.smsOtp.verify({ failureRedirect: '/login/pin' }),
      (req, res) => res.redirect(303, readField(req, 'returnTo') || '/account'),
    ]);
  }),
  planted('redirect-by-host', 'redirects are made of the header of the host', (kit) => {
    kit.before.push((req, res, next) => {
      const host = req.get('x-forwarded-host');
      const redirect = res.redirect.bind(res);
      if (host !== undefined)
        res.redirect = ((status: number, to: string) =>
          redirect(status, `${req.protocol}://${host}${to}`)) as typeof res.redirect;
      next();
    });
  }),
  planted('refusal-without-notice', 'the page of the code never says what was wrong', (kit) => {
    kit.routes.set('GET /login/pin', [
      (req, res) => {
        const forms = [
          kit.form(req, '/login/pin', input('pin')),
          kit.form(req, '/login/pin/resend'),
        ];
        res.send(kit.page(req, 'Enter your code.', ...forms));
      },
    ]);
  }),
  planted(
    'refusal-without-notice',
    'a code that was asked for too soon is answered as if sent',
    (kit) => {
      const resend = kit.smsOtp.resend();
      kit.routes.set('POST /login/pin/resend', [
        (req, res, next) => {
          res.status = () => res;
          res.json = () => {
            res.redirect(303, '/login/pin');
            return res;
          };
          resend(req, res, next);
        },
        (_req, res) => res.redirect(303, '/login/pin'),
      ]);
    },
  ),
  planted('odd-body-fails', 'the code is trimmed before anybody looks what it is', (kit) => {
    prepend(kit, 'POST /login/pin', (req, _res, next) => {
      const body = req.body as { pin: string };
      body.pin = body.pin.trim();
      next();
    });
  }),
  planted('tells-user-names', 'an unknown name is told from a wrong password', (kit) => {
    prepend(kit, 'POST /login', (req, res, next) => {
      if (kit.accounts.has(readField(req, 'username'))) next();
      else res.status(404).send(kit.page(req, 'There is no such user.', readNotice(kit, req)));
    });
  }),
  planted('address-by-client', 'every proxy is trusted', () => undefined, { trustProxy: true }),
  planted('one-address-for-all', 'no proxy is trusted', () => undefined, {
    trustProxy: false,
    isOverHttp: true,
  }),
  planted('one-address-for-all', 'an address with a port is dropped', ({ before }) => {
    before.push((req, _res, next) => {
      if (isIP(req.ip ?? '') === 0) Object.defineProperty(req, 'ip', { value: undefined });
      next();
    });
  }),
];

/** One mistake each. */
export const MISTAKES: readonly Planted[] = [
  ...pages,
  ...logins,
  ...sessions,
  ...codes,
  ...texts,
  ...answers,
];
