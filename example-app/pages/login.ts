import { Router } from 'express';
import type { BankOtp } from '../server';
import type { TextKey } from '../i18n/translate';
import { toNotice, toProblem } from '../notices';

/** The query parameters that say why the page is shown. */
const PROBLEMS: readonly (readonly [name: string, key: TextKey])[] = [
  ['wrong-password', 'notice.wrong-password'],
  ['ended', 'notice.login-ended'],
];

/** The page that asks for the password; `server.ts` answers its form. */
export function loginPages(smsOtp: BankOtp): Router {
  const router = Router();

  router.get('/login', (req, res) => {
    const status = smsOtp.status(req);
    if (req.user) {
      // The guard of the account has sent those who have passed no second factor.
      res.redirect(303, status.notice === 'second-factor-required' ? '/enroll' : '/account');
      return;
    }
    const problem = PROBLEMS.find(([name]) => name in req.query)?.[1] ?? null;
    res.render('login', { notice: toProblem(problem) ?? toNotice(status), waiting: status.pending });
  });

  return router;
}
