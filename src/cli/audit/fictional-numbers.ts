import { WrongUsage } from '../failures';
import type { AuditConfig } from './config';

/**
 * Ranges for films and tests of Ofcom, ARCEP and the NANPA: no message to them reaches a person.
 */
const FICTIONAL = [/^\+1[2-9]\d\d55501\d\d$/, /^\+447700900\d{3}$/, /^\+33639980\d{3}$/] as const;

/**
 * Refuses numbers that may belong to people: an app that does not use the simulator sends messages
 * to them.
 * @throws {WrongUsage} that names the place of the number, and not the number.
 */
export function refuseRealNumbers({ users, logInAs, newNumber }: AuditConfig): void {
  const numbers = [
    ...users.map(({ phone }, place) => [`users[${place}].phone`, phone] as const),
    ['logInAs.by.phone', logInAs?.by.phone] as const,
    ['newNumber.phone', newNumber?.phone] as const,
  ];
  for (const [place, phone] of numbers) {
    if (phone === undefined || FICTIONAL.some((range) => range.test(phone))) continue;
    throw new WrongUsage(
      `The configuration: ${place} is not in a fictional range`,
      'Use +1 202 555 0100 to 0199 (any area code), +44 7700 900000 to 900999 or +33 6 39 98 ' +
        '00 00 to 09 99. Add --real-numbers if messages to this number do no harm.',
    );
  }
}
