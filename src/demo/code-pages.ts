import { Router } from 'express';
import { noticeText, type SmsOtp } from '../index';
import { form, html, page } from './html';

/** Serves the form for the code, below `/second-factor`. */
export function codePages(smsOtp: SmsOtp): Router {
  const router = Router();
  const failureRedirect = '/second-factor';

  router.get('/second-factor', (req, res) => {
    const { pending, notice, retryAt } = smsOtp.status(req);
    if (!pending) return res.redirect(303, '/login');
    const fields = html`<label for="pin">Code from the text message</label>
      <input id="pin" name="pin" inputmode="numeric" autocomplete="one-time-code" required />`;
    const ending = pending.maskedPhone.slice(-2);
    const code = html`<p>We sent a code to the number ending in ${ending}.</p>
      ${form('/second-factor', 'Confirm', fields)}`;
    const lead = pending.isSent ? code : html`<p>No code was sent yet.</p>`;
    const resend = form('/second-factor/resend', 'Send another code');
    const content = html`${lead} ${resend} ${form('/second-factor/cancel', 'Cancel')}`;
    res.send(page('Enter your code', content, noticeText(notice, { retryAt })));
  });
  router.post('/second-factor', smsOtp.verify({ successRedirect: '/account', failureRedirect }));
  router.post(
    '/second-factor/resend',
    smsOtp.resend({ successRedirect: '/second-factor', failureRedirect }),
  );
  router.post('/second-factor/cancel', smsOtp.cancel({ successRedirect: '/login' }));
  return router;
}
