import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { MODULES, ROOT } from './repository';

/**
 * Which packages of the repository a consumer gets under the names express, @types/express and
 * passport.
 */
export interface Peers {
  readonly express: 'express' | 'express4' | 'express416';
  readonly expressTypes: '@types/express' | 'express4-types';
  readonly passport: 'passport' | 'passport06';
}

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
}

const OWN_TYPES = [
  '@types/node',
  '@types/passport',
  '@types/passport-local',
  '@types/express-session',
];

/**
 * Lays out a project that has installed the package, Express and Passport: its node_modules and its
 * sources.
 */
export function layOutConsumer(
  project: string,
  tarball: string,
  peers: Peers,
  sources: string,
): void {
  cpSync(sources, project, { recursive: true });
  cpSync(tarball, join(project, 'node_modules/passport-sms-otp'), { recursive: true });
  const { dependencies } = readManifest(tarball);
  for (const name of Object.keys(dependencies ?? {})) link(project, name, name);
  for (const name of ['express-session', 'passport-local']) link(project, name, name);
  link(project, 'express', peers.express);
  link(project, 'passport', peers.passport);
  for (const name of ['@types/express', ...OWN_TYPES]) copyTypes(project, name, ROOT, peers);
  writeFileSync(join(project, 'package.json'), '{ "private": true }\n');
}

/**
 * Lays out a project that has installed the package alone, with the types of Node: no peer, and
 * none of their types.
 */
export function layOutAlone(project: string, tarball: string, sources: string): void {
  cpSync(sources, project, { recursive: true });
  cpSync(tarball, join(project, 'node_modules/passport-sms-otp'), { recursive: true });
  for (const name of Object.keys(readManifest(tarball).dependencies ?? {}))
    link(project, name, name);
  copyTypes(project, '@types/node', ROOT, {
    express: 'express',
    expressTypes: '@types/express',
    passport: 'passport',
  });
  writeFileSync(join(project, 'package.json'), '{ "private": true }\n');
}

/** Links a package: at run time its own dependencies are found from where it really is. */
function link(project: string, name: string, source: string): void {
  const target = join(project, 'node_modules', name);
  mkdirSync(dirname(target), { recursive: true });
  symlinkSync(join(MODULES, source), target, 'dir');
}

/**
 * Copies a package of declarations and those it needs, so that the compiler sees one version of
 * each and no other.
 */
function copyTypes(project: string, name: string, from: string, peers: Peers): void {
  const target = join(project, 'node_modules', name);
  if (existsSync(target)) return;
  const source =
    name === '@types/express' ? join(MODULES, peers.expressTypes) : findPackage(name, from);
  cpSync(source, target, { recursive: true, filter: (path) => basename(path) !== 'node_modules' });
  for (const dependency of Object.keys(readManifest(source).dependencies ?? {})) {
    copyTypes(project, dependency, source, peers);
  }
}

/** As Node looks for a package: next to `from`, then next to each folder above it. */
function findPackage(name: string, from: string): string {
  const here = join(from, 'node_modules', name);
  return existsSync(here) || dirname(from) === from ? here : findPackage(name, dirname(from));
}

function readManifest(directory: string): Manifest {
  // The manifests are those of this repository and of what it has installed.
  return JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as Manifest;
}
