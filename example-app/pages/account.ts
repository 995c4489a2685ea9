import { Router, type Request } from 'express';
import type { BankOtp } from '../server';
import { openBank } from '../bank';
import { toProblem } from '../notices';

/** Requires both factors, of any age. */
export function accountPages(smsOtp: BankOtp): Router {
  const router = Router();
  router.get('/account', smsOtp.requireSecondFactor({ redirect: '/login' }), (req, res) => {
    res.render('account', {
      bank: req.session.bank ?? openBank(),
      hasTransferred: 'transferred' in req.query,
      notice: toProblem('too-late' in req.query ? 'account.isNotDone' : null),
      verified: describeMark(smsOtp, req),
    });
  });
  return router;
}

const METHODS: ReadonlySet<string> = new Set(['sms', 'recovery-code', 'trusted-device']);

function describeMark(smsOtp: BankOtp, req: Request): object | null {
  const { verified } = smsOtp.status(req);
  return verified && { at: verified.at, key: `account.by.${METHODS.has(verified.method) ? verified.method : 'sms'}` };
}
