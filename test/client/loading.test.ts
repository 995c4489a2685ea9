import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';

const ROOT = join(__dirname, '../..');

/** The packages that are loaded after a script has run, in a process of its own. */
function packagesLoadedBy(script: string): Set<string> {
  const print = 'console.log(JSON.stringify(Object.keys(require.cache)))';
  const output = execFileSync(
    process.execPath,
    ['--require', 'tsx/cjs', '--eval', `${script}; ${print}`],
    {
      cwd: ROOT,
    },
  );
  // The script prints the keys of require.cache.
  const files = JSON.parse(output.toString()) as string[];
  const names = files.map(
    (file) => /node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(file)?.[1] ?? 'ours',
  );
  return new Set(names);
}

const LATE = ['express', 'passport', 'passport-custom', 'undici', 'libphonenumber-js', 'zod'];

const construct = `const { GatewayClient } = require('./src/client/index.ts');
  new GatewayClient({ baseUrl: 'https://gateway.example', variant: 'A', username: 'u', password: 'p' })`;

it('importing the client loads no package', () => {
  const loaded = packagesLoadedBy("require('./src/client/index.ts')");
  expect(LATE.filter((name) => loaded.has(name))).toEqual([]);
});

it('importing the main entry loads zod, undici and libphonenumber-js no more than the client does', () => {
  const loaded = packagesLoadedBy("require('./src/index.ts')");
  expect(['undici', 'libphonenumber-js', 'zod'].filter((name) => loaded.has(name))).toEqual([]);
});

it('constructing a client loads zod alone', () => {
  const loaded = packagesLoadedBy(construct);
  expect(LATE.filter((name) => loaded.has(name))).toEqual(['zod']);
});
