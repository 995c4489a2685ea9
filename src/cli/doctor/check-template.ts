import { measureTemplate } from '../../protocol/message-length';
import { fail, pass, type Finding } from './finding';

/** The longest code the gateway makes. Not shown in OTP spec §4. */
const MOST_PIN_DIGITS = 10;

/** Whether a text fits one message with its code. OTP spec §4, §8. */
export function checkTemplate(template: string): Finding {
  const { encoding, units, limit, problem } = measureTemplate(template, MOST_PIN_DIGITS);
  if (problem === null) return pass('template', `${units} of ${limit} (${encoding}) with the longest code`);
  const advice = problem.includes('[PIN]')
    ? 'Write [PIN] where the code goes, once.'
    : 'Shorten it, or replace the characters that are named.';
  return fail('template', problem, advice);
}
