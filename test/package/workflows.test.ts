import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import manifest from '../../package.json';

const FOLDER = join(__dirname, '../../.github/workflows');

const ROOT = join(__dirname, '../..');

/** The values of one axis of check.yml. */
function readAxis(name: string): readonly string[] {
  const list = new RegExp(`^ {8}${name}: \\[(.*)\\]$`, 'm').exec(
    readFileSync(join(FOLDER, 'check.yml'), 'utf8'),
  );
  return Array.from((list?.[1] ?? '').matchAll(/'([^']+)'/g), ([, value = '']) => value);
}

/** The versions that README.md says are supported, by the head of the column. */
function readSupported(): Readonly<Record<string, readonly string[]>> {
  const lines = readFileSync(join(ROOT, 'README.md'), 'utf8').split('\n');
  const head = lines.findIndex((line) => line.startsWith('| Node '));
  const [names = [], versions = []] = [lines[head], lines[head + 2]].map((line = '') =>
    line.split('|').map((cell) => cell.trim()),
  );
  return Object.fromEntries(names.map((name, index) => [name, versions[index]?.split(', ') ?? []]));
}

/**
 * The versions of a package among the development dependencies, under whatever name: `^0.7.0`,
 * `npm:passport@^0.6.0`.
 */
function readInstalled(name: string): readonly string[] {
  const { devDependencies } = manifest;
  const ranges = Object.entries(devDependencies).flatMap(([key, range]) => {
    const own = key === name ? range : range.split(`npm:${name}@`)[1];
    return own === undefined ? [] : [own.replace(/^\D/, '')];
  });
  return ranges.sort();
}

/** "4.16+" stands for 4.16.0, "5" for 5.0.0. */
function toLowest(supported: string): string {
  return [...supported.replace('+', '').split('.'), '0', '0'].slice(0, 3).join('.');
}

describe('the versions that README.md supports', () => {
  const supported = readSupported();

  it.each([
    ['Node', 'node'],
    ['Redis', 'redis'],
    ['PostgreSQL', 'postgres'],
  ])('of %s are those of the matrix', (name, axis) => {
    expect(supported[name]?.length).toBeGreaterThan(2);
    expect(supported[name]).toEqual(readAxis(axis));
  });

  it.each([
    ['Express', 'express'],
    ['Passport', 'passport'],
  ] as const)('of %s are those that are allowed', (name, key) => {
    const allowed = manifest.peerDependencies[key].split(' || ');
    expect(allowed).toEqual(supported[name]?.map((version) => `^${toLowest(version)}`));
  });

  // The lowest of each, and one that is refused.
  it.each([
    ['Express', 'express', ['4.16.4', '4.22.3', '5.3.0']],
    ['Passport', 'passport', ['0.5.3', '0.6.0', '0.7.0']],
  ] as const)('of %s are those that the tests run with', (name, key, installed) => {
    expect(readInstalled(key)).toEqual(installed);
    for (const version of supported[name] ?? []) {
      const begin = `${version.replace('+', '')}.`;
      expect(installed.some((own) => own.startsWith(begin))).toBe(true);
    }
  });

  it('of Node begin with the one that package.json asks for', () => {
    expect(manifest.engines.node).toMatch(new RegExp(`^>=${supported.Node?.[0] ?? ''}\\.`));
  });
});

/** The jobs of a workflow, as text. */
function readJobs(file: string): string[] {
  const [, jobs = ''] = readFileSync(join(FOLDER, file), 'utf8').split(/^jobs:\n/m);
  return jobs.split(/^(?= {2}\w+:$)/m);
}

describe.each(readdirSync(FOLDER))('the workflow %s', (file) => {
  it('names every action by its commit, with the version beside it', () => {
    const actions =
      readJobs(file)
        .join('')
        .match(/uses: (?!\.\/).*/g) ?? [];
    expect(actions.length).toBeGreaterThan(0);
    for (const action of actions) expect(action).toMatch(/^uses: [\w/-]+@[0-9a-f]{40} # v[\d.]+$/);
  });

  it('installs nothing and runs no code of the repository beside the right to publish', () => {
    const publishing = readJobs(file).filter((job) => job.includes('id-token: write'));
    expect(publishing).toHaveLength(file === 'publish.yml' ? 1 : 0);
    for (const job of publishing)
      expect(job).not.toMatch(/npm (ci|install|run)|checkout@|node \.|npx/);
  });
});

describe('publish.yml', () => {
  const jobs = readJobs('publish.yml');
  const pack = jobs.find((job) => job.startsWith('  pack:')) ?? '';
  const publish = jobs.find((job) => job.startsWith('  publish:')) ?? '';

  it('checks, rehearses and packs before it publishes, and publishes what was packed', () => {
    expect(pack).toContain('needs: [check, complete]');
    const steps = [
      'npm ci',
      'npm run release:rehearse',
      'node .ci/prepare-release.mjs',
      'npm pack --ignore-scripts',
    ];
    const places = steps.map((step) => pack.indexOf(`run: ${step}`));
    expect(places).toEqual(places.filter((place) => place > 0).sort((one, other) => one - other));
    expect(publish).toContain('needs: pack');
    expect(publish).toMatch(/npm publish \.\/package\/passport-sms-otp-\*\.tgz --provenance/);
  });

  it('gives no job but publish a right beyond reading', () => {
    expect(readFileSync(join(FOLDER, 'publish.yml'), 'utf8')).toMatch(
      /^permissions:\n {2}contents: read\n/m,
    );
    expect(jobs.filter((job) => job.includes('permissions:'))).toEqual([publish]);
  });
});
