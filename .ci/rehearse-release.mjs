// npm run release:rehearse: the whole release on this machine. A copy of what is packed is prepared
// and packed as the workflow does it, published to a registry on loopback, installed from there
// into an empty folder, and tried. Only signing is left out: it needs the workflow's identity.
// Nothing is left behind.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { startRegistry } from './local-registry.mjs';

const ROOT = join(import.meta.dirname, '..');
const ADDRESS = 'https://github.com/example/passport-sms-otp';
const PACKED = [
  'package.json',
  'README.md',
  'LICENSE',
  'CHANGELOG.md',
  'SECURITY.md',
  'docs',
  'dist',
];

const env = {
  ...process.env,
  GITHUB_SERVER_URL: 'https://github.com',
  GITHUB_REPOSITORY: 'example/passport-sms-otp',
};
const execute = promisify(execFile);

async function run(folder, command, ...parameters) {
  const { stdout } = await execute(command, parameters, { cwd: folder, env, timeout: 300_000 });
  return stdout.trim();
}

function check(what, isRight) {
  if (!isRight) throw new Error(`${what}: no`);
  console.log(`  ${what}`);
}

/** Prepares and packs a copy. @returns {Promise<string>} the path of the tarball. */
async function pack(folder) {
  for (const path of PACKED) cpSync(join(ROOT, path), join(folder, path), { recursive: true });
  console.log(await run(folder, process.execPath, join(ROOT, '.ci/prepare-release.mjs')));
  return join(folder, await run(folder, 'npm', 'pack', '--ignore-scripts', '--silent'));
}

/** The links of an installed page that lead nowhere. */
function findDeadLinks(folder, page) {
  const text = readFileSync(join(folder, page), 'utf8').replaceAll(/^ *```[\s\S]*?^ *```/gm, '');
  const links = Array.from(
    text.matchAll(/\]\(([^()\s#]+)|\b(?:href|src|srcset)="([^"#]+)/g),
    (match) => match[1] ?? match[2],
  );
  const inPackage = links.filter((link) => !/^[a-z]+:/i.test(link));
  return inPackage
    .filter((link) => !existsSync(join(folder, dirname(page), link)))
    .map((link) => `${page}: ${link}`);
}

/** Starts the simulator of the installed package, opens its inbox, and ends it as Ctrl+C does. */
async function trySimulator(project) {
  const program = join(project, 'node_modules/passport-sms-otp/dist/cli/main.js');
  const child = spawn(process.execPath, [program, 'simulate'], {
    cwd: project,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  let shown = '';
  for await (const chunk of child.stdout) {
    shown += chunk;
    if (!shown.includes('Ctrl+C')) continue;
    const { status } = await fetch(/inbox +(\S+)/.exec(shown)[1]);
    check('npx passport-sms-otp simulate opens its inbox', status === 200);
    child.kill('SIGINT');
  }
  const [code] = await ended;
  check('and ends with Ctrl+C', code === 0);
}

/** The packages and names that the app of the quick start imports. */
function readImports() {
  const page = readFileSync(join(ROOT, 'docs/quick-start.md'), 'utf8');
  return page
    .match(/^import [^;]+ from '[^']+';$/gm)
    .filter((line, index, lines) => lines.indexOf(line) === index);
}

async function install(registry, project) {
  // Those that the quick start installs.
  const page = readFileSync(join(ROOT, 'docs/quick-start.md'), 'utf8');
  const packages = /^npm install (passport-sms-otp .+)$/m.exec(page)[1].split(' ');
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }\n');
  await run(
    project,
    'npm',
    'install',
    '--no-audit',
    '--no-fund',
    '--registry',
    registry.url,
    ...packages,
  );
}

async function rehearse(folder, registry) {
  const [copy, project, rc] = [
    join(folder, 'copy'),
    join(folder, 'project'),
    join(folder, 'npmrc'),
  ];
  for (const path of [copy, project]) mkdirSync(path);
  // npm publishes nothing without a token.
  writeFileSync(rc, `//${new URL(registry.url).host}/:_authToken=rehearsal\n`);
  const tarball = await pack(copy);
  const publish = [
    'publish',
    tarball,
    '--registry',
    registry.url,
    '--userconfig',
    rc,
    '--provenance=false',
  ];
  await run(copy, 'npm', ...publish);
  check('the registry takes the package', registry.tarballs.size === 1);
  const again = await run(copy, 'npm', ...publish).catch(() => null);
  check('and no version twice', again === null);

  await install(registry, project);
  const installed = join(project, 'node_modules/passport-sms-otp');
  const { version, repository, homepage, bugs } = JSON.parse(
    readFileSync(join(installed, 'package.json'), 'utf8'),
  );
  check(`${version} is installed in an empty folder`, existsSync(join(installed, 'dist/index.js')));
  check(
    'it names its repository',
    [repository.url, homepage, bugs.url].every((url) => url.includes(ADDRESS)),
  );
  check(
    'npx passport-sms-otp --version says so',
    (await run(project, 'npx', 'passport-sms-otp', '--version')) === version,
  );
  const imports = [...readImports(), 'console.log(typeof createSmsOtp);'].join('\n');
  check(
    'the imports of the quick start work',
    (await run(project, 'node', '--input-type=module', '-e', imports)) === 'function',
  );
  await trySimulator(project);
  const pages = readdirSync(installed, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.md'),
  );
  const dead = pages.flatMap((page) => findDeadLinks(installed, page));
  check(
    `no link of its ${pages.length} pages leads nowhere ${dead.join(', ')}`.trim(),
    dead.length === 0,
  );
}

const folder = mkdtempSync(join(tmpdir(), 'passport-sms-otp-release-'));
const upstream = (await run(ROOT, 'npm', 'config', 'get', 'registry')).replace(/\/?$/, '/');
const registry = await startRegistry({ upstream, repository: `git+${ADDRESS}.git` });
try {
  await rehearse(folder, registry);
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  await registry.close();
  rmSync(folder, { recursive: true, force: true });
}
