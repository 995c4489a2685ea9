import { expect, it } from '@jest/globals';
import { getCountries } from 'libphonenumber-js/max';
import countries = require('../../src/countries.json');

it('every country whose numbers can be read is one that options may name', () => {
  expect(getCountries().filter((country) => !countries.includes(country))).toEqual([]);
});
