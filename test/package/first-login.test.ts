import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { ensureBuilt } from './packed/build';
import { ROOT } from './packed/repository';
import { runNode } from './packed/run';

beforeAll(() => ensureBuilt());

/** The files that the first login of a process loads. */
async function filesOfFirstLogin(...args: readonly string[]): Promise<unknown> {
  const script = join(ROOT, 'test/package/packed/first-login.cjs');
  const { status, stdout, stderr } = await runNode([script, ...args], ROOT);
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

describe('the first login of a process', () => {
  it('loads undici and the plans of numbers', async () => {
    const files = await filesOfFirstLogin();
    expect(files).toContainEqual(expect.stringMatching(/node_modules[\\/]undici[\\/]/));
    expect(files).toContainEqual(expect.stringMatching(/node_modules[\\/]libphonenumber-js[\\/]/));
  });

  it('loads no file at all after warmUp', async () => {
    expect(await filesOfFirstLogin('warm')).toEqual([]);
  });
});
