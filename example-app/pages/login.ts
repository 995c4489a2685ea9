import { Router } from 'express';
import type { BankOtp } from '../server';
import { toNotice, toProblem } from '../notices';

/** The page that asks for the password; `server.ts` answers its form. */
export function loginPages(smsOtp: BankOtp): Router {
  const router = Router();

  router.get('/login', (req, res) => {
    if (req.user) {
      res.redirect(303, smsOtp.hasSecondFactor(req) ? '/account' : '/enroll');
      return;
    }
    const status = smsOtp.status(req);
    const notice = 'wrong-password' in req.query ? toProblem('notice.wrong-password') : toNotice(status);
    res.render('login', { notice, waiting: status.pending });
  });

  return router;
}
