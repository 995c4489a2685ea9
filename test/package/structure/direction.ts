import { isBuiltin } from 'node:module';
import type { Import } from './source-graph';

/**
 * Which part may import which:
 * express -> {enrollment, login}, enrollment -> login, login -> {factors, policies, messages} -> {stores, client} -> protocol <- simulator.
 * A part sees what is below it, except where it says less. `errors` is added for all but protocol and simulator.
 */
const BELOW_LOGIN = ['factors', 'policies', 'messages', 'stores', 'client', 'protocol'];
const EVERYTHING = ['express', 'enrollment', 'login', ...BELOW_LOGIN];

const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  index: [...EVERYTHING, 'sms-otp', 'options', 'errors'],
  'sms-otp': [...EVERYTHING, 'options', 'options-schema', 'errors'],
  'options-schema': [...BELOW_LOGIN, 'errors'],
  options: [],
  express: ['enrollment', 'login', 'errors'],
  enrollment: ['login', ...BELOW_LOGIN, 'errors'],
  login: [...BELOW_LOGIN, 'errors'],
  factors: ['stores', 'client', 'protocol', 'errors'],
  policies: ['stores', 'client', 'protocol', 'errors'],
  messages: ['stores', 'client', 'protocol', 'errors'],
  stores: ['errors'],
  client: ['protocol', 'errors'],
  protocol: [],
  simulator: ['protocol'],
  observability: ['errors'],
  // Of the policies the command takes the keys of a user's counters and the join of price lists: both must be the login's own.
  cli: ['client', 'simulator', 'stores', 'policies', 'errors'],
  errors: [],
};

/** Beside those, by `import type` alone. */
const MAY_IMPORT_TYPES: Readonly<Record<string, readonly string[]>> = {
  options: [...EVERYTHING, 'errors'],
  'options-schema': ['options', 'enrollment'],
  express: ['factors'],
  observability: ['login', 'client', 'stores'],
};

/** Beside those, single files of parts that are out of sight otherwise. */
const MAY_IMPORT_FILES: Readonly<Record<string, readonly string[]>> = {
  // A template is measured before anything is sent, which is when the client would do it.
  cli: ['protocol/message-length.ts'],
};

/** Records and contracts that every part may name. */
const FREE_TYPES = 'stores/store.ts';

/** "client/send-request.ts" is of the part "client", "errors.ts" is a part of its own. */
function partOf(path: string): string {
  return (path.split('/')[0] ?? path).replace(/\.ts$/, '');
}

function isPackage(to: string): boolean {
  return !to.endsWith('.ts') && !to.startsWith('(missing)');
}

/** "libphonenumber-js/max" is of the package "libphonenumber-js". */
function packageOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

export function followsDirection({ from, to, kind }: Import): boolean {
  const [source, target] = [partOf(from), partOf(to)];
  const allowed = MAY_IMPORT[source];
  if (allowed === undefined) return false;
  if (isPackage(to) || (source === target && source !== 'errors')) return true;
  if (allowed.includes(target) || MAY_IMPORT_FILES[source]?.includes(to) === true) return true;
  return kind === 'type' && (to === FREE_TYPES || (MAY_IMPORT_TYPES[source] ?? []).includes(target));
}

const HTTP_PACKAGES = ['express', 'express-session', 'passport', 'passport-custom'];
const LAZY_PACKAGES = ['undici', 'libphonenumber-js'];

/** Packages of the HTTP edge stay there; options.ts may name the type of a request. */
export function keepsHttpAtTheEdge({ from, to, kind }: Import): boolean {
  const isHttp = isPackage(to) && HTTP_PACKAGES.includes(packageOf(to));
  if (!isHttp || partOf(from) === 'express') return true;
  return from === 'options.ts' && kind === 'type';
}

/** An optional peer: whoever does not observe has not installed it. */
export function keepsTelemetryApart({ from, to }: Import): boolean {
  return !packageOf(to).startsWith('@opentelemetry/') || partOf(from) === 'observability';
}

/** Large packages are loaded at first use. */
export function loadsLazily({ to, kind }: Import): boolean {
  return !LAZY_PACKAGES.includes(packageOf(to)) || kind !== 'value';
}

/** One file opens connections. */
export function leavesConnectionsToSendRequest({ from, to, kind }: Import): boolean {
  return packageOf(to) !== 'undici' || kind === 'type' || from === 'client/send-request.ts';
}

/** protocol and errors know no package, and built-in modules are written with `node:`. */
export function importsPackagesItMay({ from, to }: Import): boolean {
  if (!isPackage(to)) return true;
  if (['protocol', 'errors'].includes(partOf(from))) return false;
  return to.startsWith('node:') || !isBuiltin(to);
}

export function isDeclared(dependencies: ReadonlySet<string>): (oneImport: Import) => boolean {
  return ({ to }) => !isPackage(to) || to.startsWith('node:') || dependencies.has(packageOf(to));
}

/** Value imports that lead back to where they started, each as "a.ts -> b.ts -> a.ts". */
export function findCycles(imports: readonly Import[]): string[] {
  const targets = new Map<string, string[]>();
  for (const { from, to, kind } of imports) {
    if (kind === 'value' && !isPackage(to)) targets.set(from, [...(targets.get(from) ?? []), to]);
  }
  const done = new Set<string>();
  const visit = (file: string, trail: readonly string[]): string[] => {
    if (trail.includes(file)) return [[...trail.slice(trail.indexOf(file)), file].join(' -> ')];
    if (done.has(file)) return [];
    const cycles = (targets.get(file) ?? []).flatMap((next) => visit(next, [...trail, file]));
    done.add(file);
    return cycles;
  };
  return Array.from(targets.keys()).flatMap((file) => visit(file, []));
}
