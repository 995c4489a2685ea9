/**
 * The whole login with its pages in one file, to copy: a password, a texted code, a guarded page,
 * logout. Run it with `npm run example:login`. Everything else in this folder is a bank around the
 * same login.
 */
import { csrfSync } from 'csrf-sync';
import express, { type ErrorRequestHandler, type Request, type RequestHandler } from 'express';
import session from 'express-session';
import passport from 'passport';
import { Strategy as LocalStrategy } from 'passport-local';
import { createSmsOtp, memoryStore, noticeText } from 'passport-sms-otp';
import { GatewaySimulator } from 'passport-sms-otp/simulator';
import { smsGateway } from 'passport-sms-otp/sms-gateway';

declare global {
  namespace Express {
    interface User {
      readonly id: string;
      readonly name: string;
    }
  }
}

// Your users. Keep real ones in a database, with hashed passwords, and limit wrong passwords:
// `limit-passwords.ts` shows how.
const users = new Map([
  ['alice', { id: 'alice', name: 'Alice', phone: '+12025550123', password: 'demo-password' }],
]);

passport.serializeUser((user, done) => done(null, user.id));
passport.deserializeUser((id: string, done) => done(null, users.get(id) ?? false));
passport.use(
  new LocalStrategy((username, password, done) => {
    const user = users.get(username);
    done(null, user?.password === password ? user : false);
  }),
);

const { csrfSynchronisedProtection, generateToken } = csrfSync({
  getTokenFromRequest: (req) => (req.body as { _csrf?: string } | undefined)?._csrf, // Express types a body as any
});

/** Puts text into a page. */
function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Returns a form with the hidden field that shows that it is from this site. */
function form(req: Request, action: string, fields: string, button: string, kind = ''): string {
  const token = `<input type="hidden" name="_csrf" value="${generateToken(req)}">`;
  return `<form method="post" action="${action}">${token}${fields}<button class="${kind}">${button}</button></form>`;
}

function page(title: string, notice: string | null, content: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<link rel="stylesheet" href="/login.css"><script src="/login.js" defer></script>
<main><h1>${title}</h1>${notice ? `<p role="alert" id="notice">${escape(notice)}</p>` : ''}${content}</main></html>`;
}

const STYLE = `body { font: 1.0625rem/1.5 system-ui, sans-serif; max-width: 24rem; margin: 12vh auto; padding: 0 1.25rem }
label { display: block; font-weight: 600; margin-top: 1rem }
input, button { font: inherit; width: 100%; box-sizing: border-box; padding: .625rem .75rem; margin-top: .375rem; border: 1px solid #7c929c; border-radius: 8px }
input[name=pin] { width: 10rem; display: block; letter-spacing: .25em }
button { background: #0b5563; color: #fff; border-color: #0b5563; font-weight: 600; margin-top: 1rem; cursor: pointer }
button.quiet { background: none; color: inherit; border-color: #7c929c; margin-top: .5rem }
button:disabled { opacity: .55; cursor: default }
[role=alert] { border-inline-start: 4px solid #d1453b; padding-inline-start: .75rem }
`;

/**
 * Keeps a form from being submitted twice, and the button for another text off while it counts down.
 * Everything works without it. Pages name these files, so that a strict Content-Security-Policy works.
 */
const SCRIPT = `let sentAt = new WeakMap();
addEventListener('submit', (event) => {
  if (event.timeStamp - sentAt.get(event.target) < 1000) event.preventDefault();
  else sentAt.set(event.target, event.timeStamp);
});
addEventListener('pageshow', () => (sentAt = new WeakMap()));

const wait = document.getElementById('wait');
const readyAt = Date.now() + 1000 * wait?.firstElementChild.textContent;
const timer = wait && setInterval(() => {
  const seconds = Math.ceil((readyAt - Date.now()) / 1000);
  wait.firstElementChild.textContent = seconds;
  wait.hidden = seconds <= 0;
  wait.parentElement.disabled = seconds > 0;
  if (seconds <= 0) clearInterval(timer);
}, 250);
`;

async function start(): Promise<void> {
  // The gateway. The simulator runs on this machine and shows the texts on a page.
  const simulator = await GatewaySimulator.start({ port: Number(process.env.INBOX_PORT ?? 3001) });
  const { baseUrl, variant, username, password, inboxUrl } = simulator;
  const secret = process.env.SMS_OTP_SECRET ?? 'change me: 32 random characters or more';
  const store = memoryStore();

  // With GATEWAY=sms, in its place, a function that sends texts: here to the same page.
  async function sendSms(mobile: string, text: string): Promise<void> {
    const headers = { 'Content-Type': 'application/json' };
    const body = JSON.stringify({ mobile, text });
    const answer = await fetch(`${inboxUrl}/messages`, { method: 'POST', headers, body });
    if (!answer.ok) throw new Error(`The text was answered with ${answer.status}`);
  }

  const smsOtp = createSmsOtp({
    gateway:
      process.env.GATEWAY === 'sms'
        ? smsGateway({ store, secret, sendSms })
        : { baseUrl, variant, username, password },
    store,
    secret,
    allowedCountries: ['US'],
    getPhone: ({ id }) => users.get(id)?.phone,
    loadUser: (id) => users.get(id) ?? null, // Becomes req.user: leave the password hash out.
    appName: 'Example',
  });

  /** Returns the sentence that explains the last refusal. */
  function readNotice(req: Request): string | null {
    const { notice, retryAt } = smsOtp.status(req);
    // A guard refuses everyone who is not logged in yet, which is no news on the login page.
    if (notice === 'second-factor-required') return null;
    return notice && noticeText(notice, { locale: 'en', retryAt });
  }

  const app = express();
  app.get('/login.css', (_req, res) => void res.type('css').send(STYLE));
  app.get('/login.js', (_req, res) => void res.type('js').send(SCRIPT));
  app.use(express.urlencoded({ extended: false }));
  // In production: a store for sessions, `secure: true`, and `app.set('trust proxy', 1)` behind a
  // proxy.
  app.use(
    session({
      secret: process.env.SESSION_SECRET ?? 'change me as well',
      resave: false,
      saveUninitialized: false,
      cookie: { sameSite: 'lax' },
    }),
  );
  app.use(passport.session(), csrfSynchronisedProtection);

  app.get('/login', (req, res) => {
    const notice = 'wrong' in req.query ? 'Wrong user name or password.' : readNotice(req);
    const fields = `<label for="name">User name</label>
      <input id="name" name="username" autocomplete="username" autocapitalize="none" required autofocus>
      <label for="password">Password</label>
      <input id="password" name="password" type="password" autocomplete="current-password" required>`;
    res.send(page('Log in', notice, form(req, '/login', fields, 'Continue')));
  });
  app.post(
    '/login',
    // `session: false`: no one is logged in before the code. Passport types the middleware as any.
    passport.authenticate('local', {
      session: false,
      failureRedirect: '/login?wrong',
    }) as RequestHandler,
    smsOtp.send({ successRedirect: '/login/pin', failureRedirect: '/login' }),
  );

  app.get('/login/pin', (req, res) => {
    const notice = readNotice(req);
    const { pending } = smsOtp.status(req);
    if (!pending) return res.redirect('/login');
    const { isSent, attemptsLeft, expiresAt, resendAt } = pending;
    const isAlive = isSent && attemptsLeft > 0 && expiresAt > Date.now();
    const field = `<label for="pin">Code from the text message</label>
      <input id="pin" name="pin" inputmode="numeric" autocomplete="one-time-code" required autofocus
        ${notice ? 'aria-invalid="true" aria-describedby="notice"' : ''}>`;
    const seconds = Math.ceil(((resendAt ?? 0) - Date.now()) / 1000);
    const when = seconds > 0 ? `<span id="wait"> (in <span>${seconds}</span> s)</span>` : '';
    const again = `Text me a code${when}`;
    const resend = form(req, '/login/pin/resend', '', again, isAlive ? 'quiet' : '');
    const code = `<p>We texted a code to the number ending in ${pending.maskedPhone.slice(-2)}.</p>
      ${form(req, '/login/pin', field, 'Confirm')}`;
    const cancel = form(req, '/login/cancel', '', 'Cancel', 'quiet');
    const lead = isAlive ? code : '<p>There is no code to enter now.</p>';
    const title = isAlive ? 'Enter your code' : 'Get a code';
    res.send(page(title, notice, lead + (resendAt === null ? '' : resend) + cancel));
  });
  app.post('/login/pin', smsOtp.verify({ successRedirect: '/', failureRedirect: '/login/pin' }));
  app.post(
    '/login/pin/resend',
    smsOtp.resend({ successRedirect: '/login/pin', failureRedirect: '/login/pin' }),
  );
  app.post('/login/cancel', smsOtp.cancel({ successRedirect: '/login' }));

  // Guard every page that needs both factors.
  app.get('/', smsOtp.requireSecondFactor({ redirect: '/login' }), (req, res) => {
    res.send(
      page(
        'Your account',
        null,
        `<p>Hello, ${req.user?.name}.</p>${form(req, '/logout', '', 'Log out')}`,
      ),
    );
  });
  app.post('/logout', smsOtp.logout({ successRedirect: '/login' }));

  const showError: ErrorRequestHandler = (
    error: { readonly status?: number },
    _req,
    res,
    _next,
  ) => {
    const again = '<p><a href="/login">Try again</a></p>';
    res.status(error.status ?? 500).send(page('That didn’t work', 'Nothing was done.', again));
  };
  app.use(showError);

  // So that the first login waits for nothing but the gateway.
  await smsOtp.warmUp();
  const server = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
    const address = server.address();
    console.log(
      `Log in as alice with demo-password: http://localhost:${typeof address === 'object' && address?.port}/`,
    );
    console.log(`Text messages: ${inboxUrl}`);
  });
}

void start();
