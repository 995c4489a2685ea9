import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readLinks } from '../docs/support/links';
import { ROOT } from './packed/repository';
import { runNode, type Finished } from './packed/run';

const ADDRESS = 'https://git.example/owner/name';
const VARIABLES = { GITHUB_SERVER_URL: 'https://git.example', GITHUB_REPOSITORY: 'owner/name' };

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'passport-sms-otp-release-test-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function read(file: string): string {
  return readFileSync(join(folder, file), 'utf8');
}

/** Runs a script of .ci in the folder, with these variables of the workflow. */
function runScript(
  name: string,
  variables: Readonly<Record<string, string>>,
  ...parameters: string[]
) {
  const lines = [
    `Object.assign(process.env, { GITHUB_SERVER_URL: '', GITHUB_REPOSITORY: '' }, ${JSON.stringify(variables)});`,
    `process.argv.splice(1, Infinity, 'script', ...${JSON.stringify(parameters)});`,
    `await import(${JSON.stringify(join(ROOT, '.ci', name))});`,
  ];
  return runNode(['--input-type=module', '-e', lines.join('\n')], folder);
}

describe('.ci/prepare-release.mjs', () => {
  const prepare = (variables: Readonly<Record<string, string>> = VARIABLES): Promise<Finished> =>
    runScript('prepare-release.mjs', variables);

  beforeEach(() => {
    const manifest = {
      name: 'some-package',
      version: '1.2.3',
      description: 'x',
      files: ['docs/*.md'],
      license: 'MIT',
    };
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
    mkdirSync(join(folder, 'docs'));
    writeFileSync(join(folder, 'docs/other.md'), '# Other\n');
    writeFileSync(
      join(folder, 'README.md'),
      [
        '# Read me',
        '[in](docs/other.md#other) [out](src/file.ts) [folder](example-app/#here) [up](#read-me) [site](https://a.example/b)',
        '<img srcset="docs/images/a.png"> <a href="docs/other.md">in</a>',
        '```ts',
        '[code](src/file.ts)',
        'git clone <this repository> here',
        '```',
        '[after](LICENSE)',
        '',
      ].join('\n'),
    );
  });

  it('names the repository that the workflow runs in, and leaves the rest of package.json', async () => {
    expect(await prepare()).toMatchObject({ status: 0, stdout: expect.stringContaining(ADDRESS) });
    expect(JSON.parse(read('package.json'))).toEqual({
      ...{
        name: 'some-package',
        version: '1.2.3',
        description: 'x',
        files: ['docs/*.md'],
        license: 'MIT',
      },
      repository: { type: 'git', url: `git+${ADDRESS}.git` },
      homepage: `${ADDRESS}#readme`,
      bugs: { url: `${ADDRESS}/issues` },
    });
  });

  it('lets pages lead to the repository, at the tag, where the package does not have the file', async () => {
    await prepare();
    expect(read('README.md').split('\n')).toEqual([
      '# Read me',
      `[in](docs/other.md#other) [out](${ADDRESS}/blob/v1.2.3/src/file.ts) [folder](${ADDRESS}/blob/v1.2.3/example-app/#here) [up](#read-me) [site](https://a.example/b)`,
      `<img srcset="${ADDRESS}/raw/v1.2.3/docs/images/a.png"> <a href="docs/other.md">in</a>`,
      '```ts',
      '[code](src/file.ts)',
      `git clone ${ADDRESS}.git here`,
      '```',
      `[after](${ADDRESS}/blob/v1.2.3/LICENSE)`,
      '',
    ]);
  });

  it.each([
    {},
    { GITHUB_SERVER_URL: 'https://git.example' },
    { ...VARIABLES, GITHUB_REPOSITORY: 'owner' },
    { ...VARIABLES, GITHUB_REPOSITORY: 'owner/name"],' },
    { ...VARIABLES, GITHUB_SERVER_URL: 'http://git.example' },
  ])('changes nothing with %j', async (variables) => {
    const before = read('package.json');
    const { status, stderr } = await prepare(variables);
    expect([status, read('package.json')]).toEqual([1, before]);
    expect(stderr).toContain('must name the repository');
  });
});

describe('the registry of the rehearsal', () => {
  /** Publishes a package to it and prints what became of it. */
  const PROGRAM = `
    import { execFileSync } from 'node:child_process';
    import { startRegistry } from ${JSON.stringify(join(ROOT, '.ci/local-registry.mjs'))};
    const registry = await startRegistry({ upstream: 'https://upstream.example/', repository: 'git+${ADDRESS}.git' });
    const body = (repository) => JSON.stringify({
      name: 'p', 'dist-tags': { latest: '1.0.0' }, versions: { '1.0.0': { repository } },
      _attachments: { 'p-1.0.0.tgz': { data: Buffer.from('content').toString('base64') } },
    });
    const put = async (repository) => {
      const response = await fetch(registry.url + '/p', { method: 'PUT', body: body(repository) });
      console.log([response.status, (await response.json()).error ?? 'taken'].join(' '));
    };
    await put(undefined);
    await put({ url: 'git+https://git.example/somebody/else.git' });
    await put({ url: 'git+${ADDRESS}.git' });
    await put({ url: 'git+${ADDRESS}.git' });
    const { versions } = await (await fetch(registry.url + '/p')).json();
    console.log(await (await fetch(versions['1.0.0'].dist.tarball)).text());
    const other = await fetch(registry.url + '/@a%2fb', { redirect: 'manual' });
    console.log(other.status, other.headers.get('location'));
    await registry.close();`;

  it('refuses a package that does not name the repository it is built in, and a version it has', async () => {
    const { stdout } = await runNode(['--input-type=module', '-e', PROGRAM], folder);
    expect(stdout.trim().split('\n')).toEqual([
      `422 repository.url is "", expected to match "git+${ADDRESS}.git" from provenance`,
      `422 repository.url is "git+https://git.example/somebody/else.git", expected to match "git+${ADDRESS}.git" from provenance`,
      '201 taken',
      '403 You cannot publish over the previously published versions',
      'content',
      '302 https://upstream.example/@a%2fb',
    ]);
  });
});

describe('.ci/llms.mjs', () => {
  it('writes AGENTS.md as llms.txt, then every other page of the documentation, and the pages beside it', async () => {
    expect(await runScript('llms.mjs', {}, folder)).toMatchObject({ status: 0, stderr: '' });
    const text = read('llms.txt');
    expect(text).toMatch(
      /^# passport-sms-otp[^\n]*\n\n> .{40,}\n(?:> .+\n)*\n## A login with ready-made pages\n/,
    );
    const links = readLinks({ path: 'llms.txt', text }).filter((link) => link.endsWith('.md'));
    const contents = readLinks({
      path: 'docs/README.md',
      text: readFileSync(join(ROOT, 'docs/README.md'), 'utf8'),
    }).filter((link) => link.endsWith('.md'));
    const pages = contents.map((link) => posix.join('docs', link));
    expect(links.filter((link, index) => links.indexOf(link) !== index)).toEqual([]);
    expect(pages.filter((page) => !links.includes(page))).toEqual([]);
    expect(links.filter((link) => !existsSync(join(folder, link)))).toEqual([]);
    expect(read('llms-full.txt')).toContain('# Quick start');
  });

  it('writes whole links where SITE_URL is set', async () => {
    await runScript('llms.mjs', { SITE_URL: 'https://site.example/docs' }, folder);
    expect(read('llms.txt')).toContain('](https://site.example/docs/docs/quick-start.md)');
  });
});
