import { expect, it } from '@jest/globals';
import { parseJson } from '../../src/cli/parse-json';
import { WrongUsage } from '../../src/cli/failures';

it.each([
  ['a missing comma', '{\n  "a": 1\n  "b": 2\n}', 'line 3 is wrong'],
  ['a comma too many', '{\n  "a": 1,\n}', 'line 3 is wrong'],
  ['a comment', '{\n  // canary\n  "a": 1\n}', 'line 2 is wrong'],
  ['a missing quote', '{\n  "a: 1,\n  "b": 2\n}', 'line 2 is wrong'],
  ['a quote that is missing at the end', '{\n  "a": "canary\n}', 'line 2 is wrong'],
  ['single quotes', "{ 'a': 1 }", 'line 1 is wrong'],
  ['a name without quotes', '{\n\n  canary: 1\n}', 'line 3 is wrong'],
  ['a missing value', '{\n  "a":\n}', 'line 3 is wrong'],
  ['a bracket too many', '{\n  "a": 1\n}\n}\n', 'line 4 is wrong'],
  ['a missing bracket', '{\n  "a": [1, 2\n', 'it ends too early, in line 2'],
  ['a list that is not closed', '{\n  "a": [1,\n  2\n}', 'line 4 is wrong'],
  ['an empty file', '', 'it ends too early, in line 1'],
  ['something else', 'users:\n  - canary\n', 'line 1 is wrong'],
  ['Windows line ends', '{\r\n  "a": 1\r\n  "b": 2\r\n}', 'line 3 is wrong'],
])('a file with %s is called no JSON, with its line', (_title, text, problem) => {
  let thrown: unknown;
  try {
    parseJson('the file', text);
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(WrongUsage);
  expect(thrown).toMatchObject({ message: `the file is not JSON: ${problem}` });
  expect(String(Reflect.get(Object(thrown), 'advice'))).not.toContain('canary');
});

it.each(['{"a":[1,{}]}', ' null ', '"x"', '\uFEFF{}'])('%j is JSON', (text) => {
  expect(() => parseJson('the file', text)).not.toThrow();
});
