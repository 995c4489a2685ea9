import type { Express } from 'express';
import type { SmsOtp, SmsOtpOptions } from 'passport-sms-otp';
import { type PagesOptions, smsOtpPages } from 'passport-sms-otp/pages';
import { asTestUser, type TestApp, type TestAppOptions } from '../../support/test-app';
import type { Answer, Visit } from '../../support/visit';

/** The paths of the sample; the others have their defaults. */
export const PATHS = { login: '/in', home: '/home' };

/** The routes of the sample in the README, and the pages. */
export function addSample(pages: PagesOptions = {}) {
  return (app: Express, smsOtp: SmsOtp): void => {
    app.get('/in', (req, res) => void res.json(smsOtp.status(req).notice));
    app.use(smsOtpPages(smsOtp, pages));
    app.post('/in', smsOtp.firstFactor('local'), smsOtp.send());
    app.get('/home', smsOtp.requireSecondFactor(), (_req, res) => void res.json('home'));
    app.post('/out', smsOtp.logout());
  };
}

/** The options of an app in which every page is there. */
export function everything(
  pages: PagesOptions = {},
  options: Partial<SmsOtpOptions> = {},
): TestAppOptions {
  return {
    hasPhones: true,
    hasFactors: true,
    options: { paths: PATHS, appName: 'Harbour', ...options },
    routes: addSample(pages),
  };
}

/** A typed factor and one that answers a challenge, which the users named here have. */
export const ownFactors = (users: ReadonlySet<string>): SmsOtpOptions['factors'] => {
  const isAvailable = (user: Express.User): boolean => users.has(asTestUser(user).id);
  return [
    { name: 'totp', isAvailable, check: ({ code }) => code === '123456' },
    {
      name: 'passkey',
      field: 'response',
      isAvailable,
      createOptions: ({ challenge }) => ({ challenge }),
      checkResponse: ({ challenge, response }) => {
        const { signed } = response as { readonly signed?: unknown };
        return signed === challenge;
      },
    },
  ];
};

/** Every form of the pages. */
export const FORMS = [
  'code',
  'resend',
  'cancel',
  'recovery-code',
  'factor-totp',
  'factor-passkey',
  'factor-passkey-options',
  'step-up',
  'log-out',
  'add-number',
  'confirm-number',
  'remove-number',
  'default-number',
  'recovery-codes',
  'forget-device',
  'end-login',
  'end-logins',
] as const;

/** Every page. */
export const PAGES = [
  'code',
  'other-ways',
  'recovery-code',
  'factor-totp',
  'factor-passkey',
  'step-up',
  'settings',
  'confirm',
  'add-number',
  'recovery-codes',
] as const;

type Headers = Readonly<Record<string, string>>;

/** Opens a page below the folder. */
export const open = async (browser: Visit, page: string, headers: Headers = {}): Promise<Answer> =>
  browser.ask('get', toPath(page)).set({ accept: 'text/html', ...headers });

/** Sends a form of a page. */
export const submit = async (
  browser: Visit,
  page: string,
  body: object = {},
  headers: Headers = {},
): Promise<Answer> =>
  browser
    .ask('post', toPath(page))
    .set({ 'sec-fetch-site': 'same-origin', ...headers })
    .type('form')
    .send(body);

function toPath(page: string): string {
  return page.startsWith('/') ? page : `/second-factor/${page}`;
}

/** Gives the right password. */
export const enterPassword = (browser: Visit, username = 'alice'): Promise<Answer> =>
  submit(browser, '/in', { username, password: 'right' });

/** Logs in with password and code. */
export async function logIn(test: TestApp, browser: Visit): Promise<void> {
  await enterPassword(browser);
  await submit(browser, 'code', { pin: test.code() });
}

/** Makes recovery codes as a person does, and reads them off the page. */
export async function makeCodes(browser: Visit): Promise<readonly string[]> {
  const form = readForm(await open(browser, 'recovery-codes'));
  const { text } = await submit(browser, 'recovery-codes', { form });
  return Array.from(text.matchAll(/<code>([^<]+)<\/code>/g), ([, code = '']) => code);
}

/** Reads the name of the form on the page of recovery codes. */
export const readForm = ({ text }: Answer): string =>
  /name="form" value="([^"]+)"/.exec(text)?.[1] ?? '';
