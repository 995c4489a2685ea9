import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readLinks } from '../docs/support/links';
import { packInto, type Tarball } from './packed/pack';
import { ROOT } from './packed/repository';

const GUIDE =
  /^docs\/(?:(?:(?:recipes|audit)\/)?[\w-]+\.md|recipes\/[\w.-]+\.ts|images\/\w[\w-]*\.svg)$/;

const directory = mkdtempSync(join(tmpdir(), 'passport-sms-otp-tarball-'));
let tarball: Tarball;

beforeAll(async () => {
  tarball = await packInto(directory);
});

afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

/** README.md is shown by the registry, which leads its links to the repository. */
function isInTarball(page: string, link: string): boolean {
  if (/^(?:[a-z]+:|#)/i.test(link) || page === 'README.md') return true;
  return tarball.files.includes(posix.join(posix.dirname(page), link.split('#')[0] ?? ''));
}

function read(file: string): string {
  return readFileSync(join(tarball.directory, file), 'utf8');
}

describe('the tarball', () => {
  it('holds what was built, the guides, the sources of the pages, five documents, the schema and the manifest', () => {
    const isCopied = (file: string): boolean => /^(?:dist|src\/pages)\//.test(file);
    const rest = tarball.files.filter((file) => !isCopied(file) && !GUIDE.test(file));
    expect(rest).toEqual([
      ...['AGENTS.md', 'CHANGELOG.md', 'LICENSE', 'README.md', 'SECURITY.md'],
      ...['docs/postgres.sql', 'package.json'],
    ]);
  });

  it('holds every part of the source', () => {
    const parts = new Set(tarball.files.map((file) => /^dist\/([\w-]+)\//.exec(file)?.[1]));
    const folders = readdirSync(join(ROOT, 'src'), { withFileTypes: true });
    const expected = folders.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    expect(expected.length).toBeGreaterThan(10);
    expect(expected.filter((name) => !parts.has(name))).toEqual([]);
  });

  it('holds every guide that the README points to', () => {
    const links = Array.from(
      read('README.md').matchAll(/\]\((docs\/[^)#]+)/g),
      ([, path]) => path ?? '',
    );
    expect(links.length).toBeGreaterThan(20);
    expect(links.filter((path) => !tarball.files.includes(path))).toEqual([]);
  });

  it('holds everything that its pages link to, or the link leads to a site', () => {
    const pages = tarball.files
      .filter((file) => file.endsWith('.md'))
      .map((path) => ({ path, text: read(path) }));
    const links = pages.flatMap((page) =>
      readLinks(page).map((link) => ({ page: page.path, link })),
    );
    const dead = links.filter(({ page, link }) => !isInTarball(page, link));
    expect(links.length).toBeGreaterThan(100);
    expect(dead).toEqual([]);
  });

  it('says of every path of the sources that it is in the repository', () => {
    const pages = tarball.files.filter((file) => /^docs\/.*\.md$/.test(file));
    const named = pages.filter((file) => /`(?:src|test|example-app|bench|\.ci)\//.test(read(file)));
    expect(named.filter((file) => !/in the\s+repository/i.test(read(file)))).toEqual([]);
  });

  it('holds every source of the pages, which an app may copy', () => {
    const inTarball = tarball.files.filter((file) => file.startsWith('src/'));
    const sources = readdirSync(join(ROOT, 'src/pages'), { recursive: true, withFileTypes: true });
    expect(inTarball).toHaveLength(sources.filter((entry) => entry.isFile()).length);
    expect(inTarball.every((file) => file.startsWith('src/pages/'))).toBe(true);
  });

  it('holds code, its declarations and its data, and no source, test or anything else', () => {
    const isAsset = (file: string): boolean =>
      /^dist\/(?:simulator\/inbox|pages)\/assets\//.test(file);
    const built = tarball.files.filter((file) => file.startsWith('dist/') && !isAsset(file));
    const [code, declarations, others] = [
      built.filter((file) => file.endsWith('.js')),
      built.filter((file) => file.endsWith('.d.ts')),
      built.filter((file) => !/\.(js|d\.ts)$/.test(file)),
    ];
    expect(code).toContain('dist/index.js');
    expect(declarations).toEqual(code.map((file) => file.replace(/\.js$/, '.d.ts')));
    const data = [
      'cli/advice',
      'countries',
      'messages/locales',
      'messages/notices',
      'messages/security-notices',
      'policies/spend-limits/country-names',
      'simulator/state/networks',
    ];
    const isText = (file: string): boolean => file.startsWith('dist/pages/texts/');
    expect(others.filter((file) => !isText(file))).toEqual(data.map((file) => `dist/${file}.json`));
    expect(others.filter(isText)).toHaveLength(16);
    const assets = tarball.files.filter(isAsset).map((file) => file.replace(/^.*\//, ''));
    expect(assets.toSorted()).toEqual([
      ...['icon.svg', 'inbox.css', 'inbox.html', 'inbox.js'],
      ...['logo.svg', 'pages.css', 'pages.js'],
    ]);
  });

  it('names no place of the machine it was built on', () => {
    const leaks = tarball.files.filter(
      (file) => read(file).includes(ROOT) || read(file).includes('sourceMappingURL'),
    );
    expect(leaks).toEqual([]);
  });

  it('runs nothing when it is installed', () => {
    // The manifest is our own.
    const { scripts = {} } = JSON.parse(read('package.json')) as {
      scripts?: Record<string, string>;
    };
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
