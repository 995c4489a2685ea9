import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { HLR_ERRORS, OTP_ERRORS } from '../../src/protocol/error-codes';
import { ADVANCED_STATUSES } from '../../src/protocol/hlr';
import { DEFAULT_READINGS } from '../../src/simulator/readings';
import { readSources } from '../package/structure/source-graph';

const page = readFileSync(join(__dirname, '../../maintainers/gateway.md'), 'utf8');
const sources = readSources(join(__dirname, '../../src'));

/** The text of one part, from its anchor to the next. */
function part(anchor: string): string {
  return page.split(`<a id="${anchor}"></a>`)[1]?.split('<a id=')[0] ?? '';
}

const citations = Array.from(sources.values()).flatMap((text) =>
  Array.from(text.matchAll(/(OTP|HLR) spec ((?:§\d+(?:, )?)+)/g)).flatMap(([, page, parts = '']) =>
    Array.from(
      parts.matchAll(/\d+/g),
      ([number]) => `${String(page).toLowerCase()}-spec-${number}`,
    ),
  ),
);

describe('maintainers/gateway.md', () => {
  it('has the part of every citation in the source', () => {
    const missing = new Set(citations.filter((anchor) => part(anchor) === ''));
    expect(citations.length).toBeGreaterThan(50);
    expect(Array.from(missing)).toEqual([]);
  });

  it.each(['otp', 'hlr'])('has the nine parts of the %s document', (name) => {
    const numbers = Array.from({ length: 9 }, (_, index) => index + 1);
    const heading = (number: number) => `### ${name.toUpperCase()} spec §${number}: `;
    expect(
      numbers.filter((number) => !part(`${name}-spec-${number}`).includes(heading(number))),
    ).toEqual([]);
  });

  it.each([
    ['otp-spec-7', OTP_ERRORS],
    ['hlr-spec-7', HLR_ERRORS],
  ])('lists the codes of %s with their names', (anchor, errors) => {
    const rows = Object.entries(errors).map(([code, { name }]) => `| ${code} | ${name} |`);
    const text = part(anchor).replaceAll(/ +/g, ' ');
    expect(rows.filter((row) => !text.includes(row))).toEqual([]);
  });

  it('lists the words of a lookup', () => {
    expect(ADVANCED_STATUSES.filter((word) => !part('hlr-spec-2').includes(`\`${word}\``))).toEqual(
      [],
    );
  });

  it('names every reading that the simulator can play', () => {
    expect(Object.keys(DEFAULT_READINGS).filter((name) => !page.includes(`\`${name}\``))).toEqual(
      [],
    );
  });
});
