import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { packInto, type Tarball } from './packed/pack';
import { ROOT } from './packed/repository';

const directory = mkdtempSync(join(tmpdir(), 'passport-sms-otp-tarball-'));
let tarball: Tarball;

beforeAll(async () => {
  tarball = await packInto(directory);
}, 180_000);

afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

function read(file: string): string {
  return readFileSync(join(tarball.directory, file), 'utf8');
}

describe('the tarball', () => {
  it('holds what was built, four documents, the schema and the manifest', () => {
    const rest = tarball.files.filter((file) => !file.startsWith('dist/'));
    expect(rest).toEqual([
      ...['CHANGELOG.md', 'LICENSE', 'README.md', 'SECURITY.md'],
      ...['docs/postgres.sql', 'package.json'],
    ]);
  });

  it('holds code and its declarations, and no source, test or anything else', () => {
    const built = tarball.files.filter((file) => file.startsWith('dist/'));
    const [code, declarations, others] = [
      built.filter((file) => file.endsWith('.js')),
      built.filter((file) => file.endsWith('.d.ts')),
      built.filter((file) => !/\.(js|d\.ts)$/.test(file)),
    ];
    expect(code).toContain('dist/index.js');
    expect(declarations).toEqual(code.map((file) => file.replace(/\.js$/, '.d.ts')));
    expect(others.filter((file) => !/^dist\/(cli|stores)\//.test(file) || file.endsWith('.ts'))).toEqual([]);
  });

  it('names no place of the machine it was built on', () => {
    const leaks = tarball.files.filter(
      (file) => read(file).includes(ROOT) || read(file).includes('sourceMappingURL'),
    );
    expect(leaks).toEqual([]);
  });

  it('runs nothing when it is installed', () => {
    // The manifest is our own.
    const { scripts = {} } = JSON.parse(read('package.json')) as { scripts?: Record<string, string> };
    const hooks = [
      'preinstall',
      'install',
      'postinstall',
      'prepare',
      'prepublish',
      'preprepare',
      'postprepare',
    ];
    expect(Object.keys(scripts).filter((name) => hooks.includes(name))).toEqual([]);
    expect(tarball.files).not.toContain('binding.gyp');
  });

  it('has every file that its manifest points to', () => {
    const paths = Array.from(read('package.json').matchAll(/"\.\/([^"]+)"/g), ([, path]) => path);
    expect(paths).toEqual(expect.arrayContaining(['dist/index.js', 'dist/index.d.ts']));
    const targets = paths.filter((path) => path?.includes('.'));
    expect(targets.filter((path) => !tarball.files.includes(path ?? ''))).toEqual([]);
  });
});
