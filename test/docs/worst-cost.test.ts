import { describe, expect, it } from '@jest/globals';
import { limitsSchema } from '../../src/limits/options';
import { readPage } from './support/pages';

const { text } = readPage('docs/fraud-and-cost.md');
const { perAddress, perPrefix, total } = limitsSchema.parse({});
const PRICE = 0.05;
const HOURS = 24;

/** The rows of the table of worst costs: what from, and the messages of an hour and of a day. */
const WORST: readonly (readonly [from: string, hour: number, day: number])[] = [
  ['one account, every code entered', ofUser(), ofUser()],
  // Enrollments are counted apart.
  ['one prefix, numbers that are not proven', ...hourly(2 * perPrefix.maxUnproven)],
  ['one prefix, every code entered', ...hourly(perPrefix.max)],
  ['one address block, numbers that are not proven', ...hourly(perAddress.maxUnproven)],
  ['one address block, every code entered', ...hourly(perAddress.max)],
  ['many accounts and address blocks', ...hourly(total.max)],
];

/** A day's messages to known browsers and to all others, which are fixed. */
function ofUser(): number {
  return 40 + 20;
}

function hourly(hour: number): readonly [hour: number, day: number] {
  return [hour, hour * HOURS];
}

function toCells([from, hour, day]: (typeof WORST)[number]): readonly string[] {
  const money = (messages: number): string =>
    (messages * PRICE).toLocaleString('en-US', { minimumFractionDigits: 2 });
  const [inHour, inDay] = [hour, day].map((messages) => messages.toLocaleString('en-US'));
  return [from, inHour ?? '', inDay ?? '', money(hour), money(day)];
}

describe('the worst cost in docs/fraud-and-cost.md', () => {
  it('is that of the default limits', () => {
    const [, section = ''] = text.split('\n## The worst cost\n');
    const [box = ''] = section.split('\n## ');
    const rows = box
      .split('\n')
      .filter((line) => line.startsWith('> |'))
      .slice(2)
      .map((line) =>
        line
          .split('|')
          .slice(1, -1)
          .map((cell) => cell.trim()),
      );
    expect(box).toContain(`at a price of ${PRICE} a message`);
    expect(rows).toEqual(WORST.map(toCells));
  });
});
