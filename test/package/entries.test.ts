import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import * as main from 'passport-sms-otp';
import manifest from '../../package.json';
import { ROOT } from './packed/repository';

const rows = readFileSync(join(ROOT, 'docs/api.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => line.split('|').map((cell) => cell.trim()));
const [, mainRow = ''] = rows.find(([, entry]) => entry === '`passport-sms-otp`')?.slice(1) ?? [];

describe('docs/api.md', () => {
  it('has every entry of the package', () => {
    const entries = Object.entries(manifest.exports).filter(
      ([, target]) => typeof target === 'object',
    );
    const names = entries.map(([path]) => `\`passport-sms-otp${path.slice(1)}\``);
    const shown = rows.map(([, entry]) => entry);
    expect(names.filter((name) => !shown.includes(name))).toEqual([]);
  });

  it('has every function and class of the main entry, the errors taken together', () => {
    const calls = Object.entries(main).filter(
      ([name, value]) => typeof value === 'function' && !name.endsWith('Error'),
    );
    expect(calls.length).toBeGreaterThan(4);
    expect(calls.map(([name]) => name).filter((name) => !mainRow.includes(`\`${name}\``))).toEqual(
      [],
    );
  });
});
