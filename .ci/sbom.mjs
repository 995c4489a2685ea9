// npm run sbom: prints the software bill of materials, CycloneDX 1.5, of what an app gets with the
// package. `npm sbom --omit dev` alone leaves out a dependency that a development tool needs, too:
// so it is given a project that has no development tools.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';

const ROOT = join(import.meta.dirname, '..');

function readJson(name) {
  return JSON.parse(readFileSync(join(ROOT, name), 'utf8'));
}

/** Express, sessions, Passport and OpenTelemetry are the app's own: peers are not listed. */
function keepProduction({ name, version, description, license, dependencies }) {
  return { name, version, description, license, dependencies };
}

function makeProject(project) {
  const lock = readJson('package-lock.json');
  const { '': root, ...others } = lock.packages;
  const kept = Object.entries(others).filter(
    ([, { dev, peer, devOptional }]) => !(dev ?? peer ?? devOptional),
  );
  const packages = { '': keepProduction(root), ...Object.fromEntries(kept) };
  writeFileSync(
    join(project, 'package.json'),
    JSON.stringify(keepProduction(readJson('package.json'))),
  );
  writeFileSync(join(project, 'package-lock.json'), JSON.stringify({ ...lock, packages }));
}

const directory = mkdtempSync(join(tmpdir(), 'passport-sms-otp-sbom-'));
try {
  // npm gives the package the name of its folder.
  const project = join(directory, 'passport-sms-otp');
  mkdirSync(project);
  makeProject(project);
  const parameters = [
    'sbom',
    '--sbom-format=cyclonedx',
    '--sbom-type=library',
    '--package-lock-only',
  ];
  process.stdout.write(execFileSync('npm', parameters, { cwd: project, encoding: 'utf8' }));
} finally {
  rmSync(directory, { recursive: true, force: true });
}
