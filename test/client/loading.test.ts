import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';

const ROOT = join(__dirname, '../..');

/** The packages that are loaded after a script has run, in a process of its own. */
function packagesLoadedBy(script: string): Set<string> {
  const print = 'console.log(JSON.stringify(Object.keys(require.cache)))';
  const output = execFileSync(process.execPath, ['--require', 'tsx/cjs', '--eval', `${script}; ${print}`], {
    cwd: ROOT,
  });
  // The script prints the keys of require.cache.
  const files = JSON.parse(output.toString()) as string[];
  const names = files.map((file) => /node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(file)?.[1] ?? 'ours');
  return new Set(names);
}

const make = `const { GatewayClient } = require('./src/client/index.ts');
  const client = new GatewayClient({ baseUrl: 'https://gateway.example', variant: 'A', username: 'u', password: 'p' })`;

it('the client loads neither Express nor Passport nor zod, and undici only when it is needed', () => {
  const loaded = packagesLoadedBy(make);
  expect(loaded).toContain('valibot');
  for (const name of ['express', 'passport', 'passport-custom', 'undici', 'libphonenumber-js', 'zod']) {
    expect(loaded).not.toContain(name);
  }
}, 30_000);
