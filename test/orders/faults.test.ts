import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { FAULTS } from './faults';

const SRC = path.join(__dirname, '..', '..', 'src');

test.each(FAULTS)('the place of the fault "$name" is in the code once', ({ file, from }) => {
  const parts = readFileSync(path.join(SRC, file), 'utf8').split(from);
  expect(parts).toHaveLength(2);
});
