import type { Reason } from 'passport-sms-otp';

/** A sentence for people, and how loudly to say it. */
export interface Notice {
  readonly kind: 'error' | 'info';
  readonly text: string;
}

const texts: Record<Reason | 'wrong-password', string> = {
  'wrong-password': 'That user name and password do not go together. Check both and try again.',
  'malformed-code': 'That does not look like a code. Type the digits from the text message.',
  'wrong-code': 'That is not the right code. Check the newest text message and try again.',
  expired: 'That code has expired. Ask for a new one.',
  'no-pending-login': 'There is no code waiting for you. It was used already, or its time is over.',
  'too-many-attempts': 'That was one wrong code too many, so it has stopped working.',
  locked: 'There were too many wrong codes for this account. Wait a while, then try again.',
  disabled: 'Text-message codes are switched off for this account. Please call us.',
  'resend-too-soon': 'We texted you a moment ago. Wait a little before you ask for another code.',
  'send-limit': 'We cannot text you another code right now. Try again later.',
  'no-phone': 'This account has no mobile number that we can text. Please call us.',
  'malformed-phone':
    'That is not a number we understand. Type it with its country code, like +1 202 555 0123.',
  'unsuitable-phone': 'We cannot send codes to this number. Try another.',
  'last-phone': 'This is your only number, so it has to stay. Add another one first.',
  'country-not-allowed': 'We cannot send texts to the country of your mobile number. Please call us.',
  denied: 'We cannot text you a code right now. Please call us.',
  'user-gone': 'Something about this account has changed. Please log in again.',
  unconfirmed: 'We could not find out whether that code was right. Please log in again.',
  'not-required': 'You are logged in. This account needs no code.',
  'second-factor-required': 'Please log in to see that page.',
  'second-factor-too-old': 'It has been a while since your last code.',
};

const quiet: ReadonlySet<string> = new Set([
  'not-required',
  'second-factor-required',
  'second-factor-too-old',
]);

/** What to tell about a reason; null stays null. */
export function toNotice(reason: keyof typeof texts | null): Notice | null {
  return reason && { kind: quiet.has(reason) ? 'info' : 'error', text: texts[reason] };
}
