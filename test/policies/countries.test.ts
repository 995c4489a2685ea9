import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { getCountries } from 'libphonenumber-js/max';

it('every country whose numbers can be read is one that options may name', () => {
  const file = join(__dirname, '../../src/countries.json');
  const countries = JSON.parse(readFileSync(file, 'utf8')) as string[];
  expect(getCountries().filter((country) => !countries.includes(country))).toEqual([]);
});
