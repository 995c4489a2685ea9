import { isBuiltin } from 'node:module';
import type { Import } from './source-graph';

/**
 * Which part may import which: {middleware, features} -> core -> {limits, messages} -> {stores,
 * gateway} -> protocol <- simulator; client -> {protocol, gateway}; policies -> {limits, client,
 * stores}. A part sees what is below it, except where it says less. `errors` is added for all but
 * protocol and simulator, and reads foreign errors by `foreign-error`. The core knows a gateway by
 * its interface alone.
 */
const BELOW_CORE = ['limits', 'messages', 'stores', 'gateway', 'keys', 'protocol'];
const EVERYTHING = ['middleware', 'features', 'core', ...BELOW_CORE];

/** What the public interface says of all features. The core names it, by `import type`. */
const PUBLIC = ['events', 'method', 'user-admin', 'security-notice', 'sms-otp-parts'];

const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  index: [...EVERYTHING, ...PUBLIC, 'client', 'sms-otp', 'options', 'errors', 'foreign-error'],
  'sms-otp': [
    ...EVERYTHING,
    ...['create-core', 'create-edge', 'open-gateway', 'read-options', 'errors'],
  ],
  'create-core': ['core', ...BELOW_CORE, 'errors'],
  'create-edge': ['middleware', 'core', 'errors'],
  'open-gateway': ['core', 'client', 'limits', 'stores', 'gateway', 'define-options', 'errors'],
  options: [],
  'read-options': [...BELOW_CORE, 'define-options', 'errors'],
  events: [],
  method: [],
  'user-admin': [],
  'sms-otp-parts': [],
  'security-notice': ['core', 'limits', 'messages'],
  'define-options': ['closest-name', 'keys', 'errors'],
  'closest-name': [],
  middleware: ['core', 'define-options', 'errors'],
  // A feature has requests, cookies and answers of its own. Which features there are, `sms-otp`
  // alone knows.
  features: ['middleware', 'core', ...BELOW_CORE, 'errors'],
  core: [...BELOW_CORE, 'errors', 'foreign-error'],
  limits: ['stores', 'gateway', 'keys', 'protocol', 'define-options', 'bounded-map', 'errors'],
  messages: ['stores', 'protocol', 'define-options', 'errors'],
  gateway: ['protocol'],
  keys: [],
  'bounded-map': [],
  policies: ['limits', 'stores', 'client', 'protocol', 'define-options', 'bounded-map', 'errors'],
  stores: ['errors', 'foreign-error'],
  client: ['stores', 'gateway', 'keys', 'protocol', 'define-options', 'errors', 'foreign-error'],
  // The pages use the package as an app does, by its name.
  pages: [],
  // A misspelt field of an input is answered as a misspelt option.
  protocol: ['closest-name'],
  simulator: ['protocol', 'define-options', 'bounded-map'],
  'sms-gateway': ['gateway', 'stores', 'keys', 'define-options', 'errors'],
  totp: ['define-options', 'keys', 'errors'],
  opentelemetry: ['errors'],
  // The keys of a user's counters and the join of price lists must be the login's own.
  cli: [
    ...['client', 'simulator', 'stores', 'limits', 'policies', 'closest-name'],
    ...['demo', 'errors', 'foreign-error'],
  ],
  // An app like any other: it uses public names alone.
  demo: ['index', 'pages', 'simulator'],
  errors: ['foreign-error'],
  'foreign-error': [],
};

/** Beside those, by `import type` alone. */
const MAY_IMPORT_TYPES: Readonly<Record<string, readonly string[]>> = {
  options: [...EVERYTHING, ...PUBLIC, 'open-gateway', 'define-options'],
  'read-options': [...EVERYTHING, 'options', 'open-gateway'],
  core: ['events', 'method'],
  middleware: ['method'],
  features: ['events', 'method'],
  'sms-otp': ['options', 'sms-otp-parts'],
  'sms-otp-parts': ['features', 'middleware', 'options', 'user-admin'],
  'create-core': ['open-gateway', 'read-options'],
  'create-edge': ['stores', 'open-gateway', 'read-options'],
  events: ['core', 'limits', 'gateway', 'stores', 'method', 'errors'],
  'user-admin': ['core', 'features'],
  'security-notice': ['events'],
  opentelemetry: ['events', 'core', 'client', 'gateway', 'stores', 'limits'],
  policies: ['core'],
  totp: ['features'],
};

/** Beside those, single files of parts that are out of sight otherwise. */
const MAY_IMPORT_FILES: Readonly<Record<string, readonly string[]>> = {
  // An address is read as the limits read it, and clocks differ by as much as stores allow.
  middleware: ['limits/address-block.ts', 'stores/check-clock.ts'],
  // A template is measured before anything is sent, as the client would do it, and a number is read
  // as everywhere: a stored one as an enrollment reads a typed one.
  cli: ['protocol/message-length.ts', 'protocol/mobile.ts', 'protocol/error-codes.ts'],
  // The place of the code in a message.
  'sms-gateway': ['protocol/message-length.ts'],
  // Secrets are sealed like tokens, and a code is read like a texted one.
  totp: ['client/token-crypto.ts', 'core/sms-factor.ts'],
};

/** Records and contracts that every part may name. */
const FREE_TYPES = 'stores/store.ts';

/** "client/transport.ts" is of the part "client", "errors.ts" is a part of its own. */
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

/** "features/phones/enroll.ts" is of the feature "phones". */
function featureOf(path: string): string | undefined {
  const [part, feature] = path.split('/');
  return part === 'features' ? feature : undefined;
}

export function followsDirection({ from, to, kind }: Import): boolean {
  const [source, target] = [partOf(from), partOf(to)];
  // No feature knows another one.
  if (source === 'features' && target === 'features') return featureOf(from) === featureOf(to);
  const allowed = MAY_IMPORT[source];
  if (allowed === undefined) return false;
  if (isPackage(to) || (source === target && source !== 'errors')) return true;
  if (allowed.includes(target) || MAY_IMPORT_FILES[source]?.includes(to) === true) return true;
  return (
    kind === 'type' && (to === FREE_TYPES || (MAY_IMPORT_TYPES[source] ?? []).includes(target))
  );
}

/**
 * The checks of `./testing` check what others have made: they import types of the package, by its
 * name, and none of its code.
 */
export function checksFromOutside({ to, kind }: Import): boolean {
  if (!isPackage(to)) return to.endsWith('.ts');
  return to.startsWith('node:') || (kind === 'type' && to === 'passport-sms-otp');
}

const HTTP_PACKAGES = ['express', 'express-session', 'passport', 'passport-custom'];
const LAZY_PACKAGES = ['undici', 'libphonenumber-js', 'otpauth'];

/**
 * Packages of the HTTP edge stay there, in the features, which have middlewares of their own, and
 * in the pages and the demo, which use the package as an app does; options.ts may name the type of
 * a request.
 */
export function keepsHttpAtTheEdge({ from, to, kind }: Import): boolean {
  const isHttp = isPackage(to) && HTTP_PACKAGES.includes(packageOf(to));
  if (!isHttp || ['middleware', 'features', 'pages', 'demo'].includes(partOf(from))) return true;
  return from === 'options.ts' && kind === 'type';
}

/** Optional peers, installed only by apps that use them. */
export function keepsOptionalPeersApart({ from, to }: Import): boolean {
  if (packageOf(to) === 'otpauth') return partOf(from) === 'totp';
  return !packageOf(to).startsWith('@opentelemetry/') || partOf(from) === 'opentelemetry';
}

/** Files that are reached by importing `.` or `./client` by value, none of which may load zod. */
export function findFilesWithZod(imports: readonly Import[], entries: readonly string[]): string[] {
  const loaded = new Set(entries);
  for (const file of loaded) {
    for (const { from, to, kind } of imports)
      if (from === file && kind === 'value' && !isPackage(to)) loaded.add(to);
  }
  return imports
    .filter(({ from, to, kind }) => loaded.has(from) && kind === 'value' && packageOf(to) === 'zod')
    .map(({ from }) => from);
}

/** Large packages are loaded at first use. */
export function loadsLazily({ to, kind }: Import): boolean {
  return !LAZY_PACKAGES.includes(packageOf(to)) || kind !== 'value';
}

/** One file opens connections, and the command makes the dispatcher of its `--ca`. */
export function leavesConnectionsToTransport({ from, to, kind }: Import): boolean {
  const mayLoad = ['client/transport.ts', 'cli/gateway.ts'].includes(from);
  return packageOf(to) !== 'undici' || kind === 'type' || mayLoad;
}

/**
 * errors imports no package, protocol imports zod alone, and built-in modules are written with
 * `node:`.
 */
export function importsPackagesItMay({ from, to }: Import): boolean {
  if (!isPackage(to)) return true;
  if (partOf(from) === 'errors') return false;
  if (partOf(from) === 'protocol') return to === 'zod';
  return to.startsWith('node:') || !isBuiltin(to);
}

/**
 * What is used by the package's own name: the checks of an app, which lie outside of the sources, by
 * the command; the package itself by its pages, which an app may copy.
 */
const OWN_NAMES: Readonly<Record<string, string>> = {
  cli: 'passport-sms-otp/testing',
  pages: 'passport-sms-otp',
};

export function isDeclared(dependencies: ReadonlySet<string>): (oneImport: Import) => boolean {
  return ({ from, to }) =>
    !isPackage(to) ||
    to.startsWith('node:') ||
    dependencies.has(packageOf(to)) ||
    to === OWN_NAMES[partOf(from)];
}

/**
 * Imports of any kind, types included, that lead back to where they started, each as "a.ts -> b.ts
 * -> a.ts".
 */
export function findCycles(imports: readonly Import[]): string[] {
  const targets = new Map<string, string[]>();
  for (const { from, to } of imports) {
    if (!isPackage(to)) targets.set(from, [...(targets.get(from) ?? []), to]);
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
