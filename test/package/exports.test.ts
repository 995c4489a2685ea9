import { beforeAll, describe, expect, it } from '@jest/globals';
import manifest from '../../package.json';
import { ensureBuilt } from './packed/build';
import { ROOT } from './packed/repository';
import { runNode } from './packed/run';

const NAME = 'passport-sms-otp';
const DOCUMENTED = [
  '.',
  './pages',
  './policies',
  './totp',
  './sms-gateway',
  './client',
  './simulator',
  './redis',
  './postgres',
  './testing',
  './opentelemetry',
  './package.json',
];

beforeAll(() => ensureBuilt());

/**
 * Runs a script at the top of the repository, where the package finds itself by its name; gives
 * what it printed as JSON.
 */
async function evaluate(
  script: string,
  type: 'commonjs' | 'module' = 'commonjs',
): Promise<unknown> {
  const { status, stdout, stderr } = await runNode(
    [`--input-type=${type}`, '--eval', script],
    ROOT,
  );
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

/** The files that are loaded by `require` of a subpath. */
async function filesLoadedBy(subpath: string): Promise<readonly string[]> {
  const files = await evaluate(
    `require('${NAME}${subpath}'); console.log(JSON.stringify(Object.keys(require.cache)))`,
  );
  // The script prints the keys of require.cache.
  return files as string[];
}

/** The packages that are loaded by `require` of a subpath. */
async function packagesLoadedBy(subpath: string): Promise<readonly string[]> {
  const names = (await filesLoadedBy(subpath)).map(
    (file) => /.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(file)?.[1],
  );
  return Array.from(new Set(names.filter((name) => name !== undefined)));
}

describe('the manifest', () => {
  it('exports what is documented and nothing else', () => {
    expect(Object.keys(manifest.exports)).toEqual(DOCUMENTED);
  });

  it('gives TypeScript the same declarations where it resolves in the older way, without exports', () => {
    const { '.': main, './package.json': _own, ...subpaths } = manifest.exports;
    const declarations = Object.entries(subpaths).map(([name, { types }]) => [
      name.slice(2),
      [types],
    ]);
    expect(manifest.typesVersions['*']).toEqual(Object.fromEntries(declarations));
    expect(manifest.types).toBe(main.types);
  });
});

describe('loading', () => {
  it('./client loads neither Express nor Passport, and nothing large', async () => {
    const loaded = await packagesLoadedBy('/client');
    const unwanted = [
      'express',
      'express-session',
      'passport',
      'passport-custom',
      'undici',
      'libphonenumber-js',
      'zod',
    ];
    expect(unwanted.filter((name) => loaded.includes(name))).toEqual([]);
  });

  it('./simulator and ./testing load no HTTP framework either, and ./testing no test runner', async () => {
    expect(await packagesLoadedBy('/simulator')).toEqual(['zod']);
    expect(await packagesLoadedBy('/testing')).toEqual([]);
  });

  it('./opentelemetry loads the API of OpenTelemetry and nothing else, and only it does', async () => {
    expect(await packagesLoadedBy('/opentelemetry')).toEqual(['@opentelemetry/api']);
    const others = [await packagesLoadedBy(''), await packagesLoadedBy('/client')].flat();
    expect(others.filter((name) => name.startsWith('@opentelemetry'))).toEqual([]);
  });

  it('./totp loads zod and no other package, otpauth only when it is used', async () => {
    expect(await packagesLoadedBy('/totp')).toEqual(['zod']);
    const use = "totpFactor({ secret: 'x'.repeat(31) + 'y', findSecret() {}, acceptStep() {} })";
    const script = `require('${NAME}/totp').${use}; console.log(JSON.stringify(Object.keys(require.cache)))`;
    expect(await evaluate(script)).toContainEqual(
      expect.stringMatching(/node_modules[\\/]otpauth[\\/]/),
    );
    const isTotp = (file: string): boolean => /[\\/](?:dist[\\/]totp|otpauth)[\\/]/.test(file);
    expect(
      [...(await filesLoadedBy('')), ...(await filesLoadedBy('/client'))].filter(isTotp),
    ).toEqual([]);
  });

  it('./sms-gateway loads zod and no other package, and neither login nor client', async () => {
    expect(await packagesLoadedBy('/sms-gateway')).toEqual(['zod']);
    const isApart = (file: string): boolean =>
      /[\\/]dist[\\/](?:login|account|middleware|client)[\\/]/.test(file);
    expect((await filesLoadedBy('/sms-gateway')).filter(isApart)).toEqual([]);
  });

  it('the main entry loads passport-custom, but nothing large', async () => {
    const loaded = await packagesLoadedBy('');
    expect(loaded).toContain('passport-custom');
    const unwanted = ['undici', 'libphonenumber-js', 'express', 'zod'];
    expect(unwanted.filter((name) => loaded.includes(name))).toEqual([]);
  });

  it('the main entry loads these parts and no others: a gateway is loaded when one is opened', async () => {
    const parts = (await filesLoadedBy('')).flatMap(
      (file) => /[\\/]dist[\\/]([^\\/]+)/.exec(file)?.[1]?.replace(/\.js$/, '') ?? [],
    );
    expect(Array.from(new Set(parts)).sort()).toEqual([
      'bounded-map',
      'core',
      'create-core',
      'create-edge',
      'errors',
      'features',
      'foreign-error',
      'index',
      'keys',
      'limits',
      'messages',
      'middleware',
      'protocol',
      'security-notice',
      'sms-otp',
      'stores',
    ]);
  });

  it('the main entry loads no opt-in policy; ./policies does', async () => {
    const isPolicy = (file: string): boolean => /[\\/]dist[\\/]policies[\\/]/.test(file);
    expect((await filesLoadedBy('')).filter(isPolicy)).toEqual([]);
    expect((await filesLoadedBy('/policies')).filter(isPolicy)).not.toEqual([]);
  });

  it('./policies loads zod and no other package', async () => {
    expect(await packagesLoadedBy('/policies')).toEqual(['zod']);
  });
});

describe('subpaths', () => {
  it.each(DOCUMENTED)('%s resolves by require and by import', async (subpath) => {
    const name = NAME + subpath.slice(1);
    const required = await evaluate(`console.log(JSON.stringify(require.resolve('${name}')))`);
    const imported = await evaluate(
      `console.log(JSON.stringify(import.meta.resolve('${name}')))`,
      'module',
    );
    expect(imported).toBe(`file://${String(required)}`);
  });

  it.each([
    '/dist/index.js',
    '/dist/protocol/paths.js',
    '/protocol',
    '/protocol/paths',
    '/client/gateway-client',
    '/client/index.js',
    '/stores',
    '/stores/store',
    '/errors',
    '/express',
    '/index',
    '/src/index.ts',
    '/',
  ])('%s does not resolve', async (subpath) => {
    const script = `try { require('${NAME}${subpath}') } catch (error) { console.log(JSON.stringify(error.code)) }`;
    expect(await evaluate(script)).toBe('ERR_PACKAGE_PATH_NOT_EXPORTED');
  });
});

describe('an error class', () => {
  it('is one identity through import, require and every subpath', async () => {
    const script = `
      import { createRequire } from 'node:module';
      import { GatewayUnreachableError, SmsOtpError } from '${NAME}';
      import { GatewayClient } from '${NAME}/client';
      const require = createRequire(import.meta.url);
      const client = new GatewayClient({ baseUrl: 'http://127.0.0.1:1', variant: 'A', username: 'u', password: 'p' });
      const error = await client.otp.balance().catch((error) => error);
      await client.close();
      console.log(JSON.stringify({
        thrown: error instanceof GatewayUnreachableError && error instanceof SmsOtpError,
        required: require('${NAME}').GatewayUnreachableError === GatewayUnreachableError,
        client: require('${NAME}/client').GatewayClient === GatewayClient,
      }));`;
    expect(await evaluate(script, 'module')).toEqual({
      thrown: true,
      required: true,
      client: true,
    });
  });
});

describe('named imports', () => {
  it('of an ES module find every name that require gives', async () => {
    const names = await evaluate(
      `console.log(JSON.stringify(Object.keys(require('${NAME}')).sort()))`,
    );
    const script = `import * as all from '${NAME}'; console.log(JSON.stringify(Object.keys(all)))`;
    expect(await evaluate(script, 'module')).toEqual(expect.arrayContaining(names as string[]));
  });
});
