import { csrfSync } from 'csrf-sync';
import { Eta } from 'eta';
import express, { type Request } from 'express';
import session from 'express-session';
import { createSmsOtp, noticeText } from 'passport-sms-otp';
import { passwordOf, readField, serve } from '../support/base-app';
import { basics, createPassport, firstFactor, idOf, otpOptions, type SoundApp } from './parts';

// Templates as EJS writes them.
const eta = new Eta({ tags: ['<%', '%>'], useWith: true });
const LAYOUT = `<!doctype html><html lang="en"><title><%= title %></title>
<% if (notice) { %><div class="flash"><%= notice %></div><% } %>`;
const FORM = `<form action="<%= action %>" method="POST">
  <input name='_csrf' type='hidden' value='<%= token %>'>
  <% for (const name of fields) { %><label><%= name %> <input name="<%= name %>"></label><% } %>
  <button>OK</button>
</form>`;

const { csrfSynchronisedProtection, generateToken } = csrfSync({
  getTokenFromRequest: (req) => readField(req, '_csrf'),
});

interface View {
  readonly title: string;
  readonly notice?: string;
  readonly text?: string;
  readonly forms?: Readonly<Record<string, readonly string[]>>;
}

function render(req: Request, { title, notice = '', text = '', forms = {} }: View): string {
  const shown = Object.entries(forms).map(([action, fields]) =>
    eta.renderString(FORM, { action, fields, token: generateToken(req) }),
  );
  return [eta.renderString(LAYOUT, { title, notice }), `<p>${text}</p>`, ...shown].join('\n');
}

/** Pages made of templates, with CSRF tokens and a guard in front of a whole router. */
export const etaPages: SoundApp = (gateway) => ({
  ...basics(gateway),
  start: () => {
    const passport = createPassport();
    const smsOtp = createSmsOtp(otpOptions(gateway, passport));
    const noticeOf = (req: Request): string => {
      const { notice, retryAt } = smsOtp.status(req);
      return notice === null ? '' : noticeText(notice, { retryAt });
    };
    const app = express();
    app.use(express.urlencoded({ extended: true }));
    app.use(
      session({
        secret: 'a secret of the sessions',
        resave: false,
        saveUninitialized: true,
        cookie: { sameSite: 'lax' },
      }),
    );
    app.use(passport.session(), csrfSynchronisedProtection);
    app.get('/sign-in', (req, res) => {
      const notice = 'failed' in req.query ? 'Please try again.' : noticeOf(req);
      const forms = { '/sign-in': ['username', 'password'] };
      res.send(render(req, { title: 'Sign in', notice, forms }));
    });
    app.post(
      '/sign-in',
      firstFactor(passport, { failureRedirect: '/sign-in?failed' }),
      smsOtp.send({ successRedirect: '/sign-in/code', failureRedirect: '/sign-in' }),
    );
    app.get('/sign-in/code', (req, res) => {
      const notice = noticeOf(req);
      const { pending } = smsOtp.status(req);
      if (pending === null) return res.redirect('/sign-in');
      const forms = { '/sign-in/code': ['pin'], '/sign-in/again': [], '/sign-in/cancel': [] };
      const text = `We texted ${pending.maskedPhone}.`;
      res.send(render(req, { title: 'Your code', notice, text, forms }));
    });
    const back = { failureRedirect: '/sign-in/code' };
    app.post('/sign-in/code', smsOtp.verify({ successRedirect: '/home', ...back }));
    app.post('/sign-in/again', smsOtp.resend({ successRedirect: '/sign-in/code', ...back }));
    app.post('/sign-in/cancel', smsOtp.cancel({ successRedirect: '/sign-in' }));
    app.post('/sign-out', smsOtp.logout({ successRedirect: '/sign-in' }));
    app.use(smsOtp.requireSecondFactor({ redirect: '/sign-in' }));
    app.get('/home', (req, res) => {
      const text = `Hello, ${idOf(req)}.`;
      res.send(
        render(req, { title: 'Home', text, forms: { '/sign-out': [], '/home/address': ['city'] } }),
      );
    });
    app.get('/home/orders', (req, res) => void res.send(render(req, { title: 'Orders' })));
    app.post('/home/address', (_req, res) => res.redirect(303, '/home'));
    return serve(app, () => smsOtp.close());
  },
  login: { path: '/sign-in', password: ({ name }) => passwordOf(name) },
  code: { path: '/sign-in/code' },
  guarded: [
    '/home',
    '/home/orders',
    { path: '/home/address', method: 'POST', page: '/home', fields: { city: 'Rome' } },
  ],
  resend: { path: '/sign-in/again', page: '/sign-in/code' },
  cancel: { path: '/sign-in/cancel', page: '/sign-in/code' },
  logout: { path: '/sign-out', page: '/home' },
});
