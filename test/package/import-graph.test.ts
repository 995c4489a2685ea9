import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import manifest from '../../package.json';
import {
  findCycles,
  findFilesWithZod,
  followsDirection,
  importsPackagesItMay,
  isDeclared,
  checksFromOutside,
  keepsHttpAtTheEdge,
  keepsOptionalPeersApart,
  leavesConnectionsToTransport,
  loadsLazily,
} from './structure/direction';
import {
  breaches,
  hasNamedExportsOnly,
  leavesSessionsToTheSlot,
  namesNoFeature,
  onlyListsNames,
} from './structure/file-rules';
import { readImports, readSources, type Import, type Sources } from './structure/source-graph';

const declared = new Set(Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }));
const sources = readSources(join(__dirname, '../../src'));

function show({ from, to, kind }: Import): string {
  return `${from} -> ${to} (${kind})`;
}

function breaking(graph: Sources, keepsRule: (oneImport: Import) => boolean): string[] {
  return readImports(graph)
    .filter((oneImport) => !keepsRule(oneImport))
    .map(show);
}

const importRules = [
  ['imports go down the graph of the design', followsDirection],
  [
    'Express, its sessions and Passport are imported in src/middleware and src/features, and by the pages and the demo',
    keepsHttpAtTheEdge,
  ],
  [
    'OpenTelemetry is imported in src/opentelemetry alone, otpauth in src/totp',
    keepsOptionalPeersApart,
  ],
  ['undici, libphonenumber-js and otpauth are loaded inside a function', loadsLazily],
  ['client/transport.ts loads undici, and the command for --ca', leavesConnectionsToTransport],
  [
    'errors imports no package, protocol zod alone, built-in modules are written with node:',
    importsPackagesItMay,
  ],
  ['every package is a dependency or a peer', isDeclared(declared)],
] as const;

const fileRules = [
  ['exports have names', hasNamedExportsOnly],
  ['index files only list names', onlyListsNames],
  ['middleware/session-slot.ts alone touches the session of a request', leavesSessionsToTheSlot],
  ['the core names no feature', namesNoFeature],
] as const;

describe('the source', () => {
  it('is read: there are files, and imports of each kind', () => {
    expect(sources.size).toBeGreaterThan(10);
    expect(new Set(readImports(sources).map(({ kind }) => kind))).toEqual(
      new Set(['type', 'lazy', 'value']),
    );
  });

  it.each(importRules)('%s', (_title, keepsRule) => {
    expect(breaking(sources, keepsRule)).toEqual([]);
  });

  it.each(fileRules)('%s', (_title, keepsRule) => {
    expect(breaches(sources, keepsRule)).toEqual([]);
  });

  it('has no circle of imports, types included', () => {
    expect(findCycles(readImports(sources))).toEqual([]);
  });

  it('loads zod neither with the package nor with its client', () => {
    expect(findFilesWithZod(readImports(sources), ['index.ts', 'client/index.ts'])).toEqual([]);
  });
});

/** A small source with one sin in each place; what must be found is listed with it. */
const BAD = new Map([
  ['client/index.ts', "export { b } from './b';\nexport const own = 1;"],
  [
    'client/b.ts',
    "import { Agent } from 'undici';\nimport { c } from './c';\nimport '../core/core';",
  ],
  [
    'client/c.ts',
    "import { b } from './b';\nimport type { Request } from 'express';\nimport 'fs';",
  ],
  [
    'client/transport.ts',
    "export async function go() { return import('undici'); }\nvoid import('undici');",
  ],
  [
    'middleware/send.ts',
    "import session from 'express-session';\nimport type { Meter } from '@opentelemetry/api';\nconst { session: slot } = req;\nreq['session'];",
  ],
  ['middleware/session-slot.ts', 'export const read = (req) => req.session;'],
  [
    'core/core.ts',
    "import type { X } from '../middleware/send';\nconst recoveryCodes = 1;\nexport default function login(req) { return req.session; }",
  ],
  [
    'options.ts',
    "import type { Request } from 'express';\nimport { z } from '../nowhere';\nimport 'left-pad';",
  ],
  [
    'protocol/auth.ts',
    "import { SmsOtpError } from '../errors';\nexport * from '@scope/thing/sub';",
  ],
  ['errors.ts', "import { z } from 'zod';"],
  [
    'simulator/world.ts',
    "import { type B } from '../client/b';\nimport type { S } from '../stores/store';",
  ],
  [
    'stores/store.ts',
    "type T = import('undici').Agent;\nexport const phone = require('libphonenumber-js/max');",
  ],
  [
    'totp/totp.ts',
    "import { TOTP } from 'otpauth';\nimport type { Factor } from '../features/factors';\nimport '../core/core';",
  ],
  ['features/factors.ts', "import type { TOTP } from 'otpauth';"],
  ['opentelemetry/metrics.ts', "import type { Meter } from '@opentelemetry/api';"],
  [
    'cli/audit.ts',
    "import { appChecks } from 'passport-sms-otp/testing';\nimport 'passport-sms-otp/client';",
  ],
  ['opentelemetry/spans.ts', "import 'passport-sms-otp/testing';"],
  ['surprise/b.ts', "import type { S } from '../stores/store';\nexport { S as default };"],
]);

describe('the checks of ./testing', () => {
  const checks = readSources(join(__dirname, '../checks'));

  it('see types of what they check, and import each other and Node', () => {
    expect(checks.size).toBeGreaterThan(5);
    expect(breaking(checks, checksFromOutside)).toEqual([]);
  });

  it('have no circle of imports', () => {
    expect(findCycles(readImports(checks))).toEqual([]);
  });

  it('are noticed when they import code, a private file or another package', () => {
    const bad = new Map([
      [
        'a-checks.ts',
        "import { createSmsOtp } from 'passport-sms-otp';\nimport type { Z } from 'zod';\nimport './b';\nimport type { S } from 'passport-sms-otp';",
      ],
      ['b.ts', "import type { S } from '../../src/stores/store';\nimport 'node:assert';"],
    ]);
    expect(breaking(bad, checksFromOutside)).toEqual([
      'a-checks.ts -> passport-sms-otp (value)',
      'a-checks.ts -> zod (type)',
      'b.ts -> (missing) ../../src/stores/store (type)',
    ]);
  });
});

describe('a bad graph', () => {
  it.each([
    [
      'followsDirection',
      followsDirection,
      [
        'client/b.ts -> core/core.ts (value)',
        'core/core.ts -> middleware/send.ts (type)',
        'options.ts -> (missing) ../nowhere (value)',
        'protocol/auth.ts -> errors.ts (value)',
        'simulator/world.ts -> client/b.ts (type)',
        'totp/totp.ts -> core/core.ts (value)',
        'surprise/b.ts -> stores/store.ts (type)',
      ],
    ],
    ['keepsHttpAtTheEdge', keepsHttpAtTheEdge, ['client/c.ts -> express (type)']],
    [
      'keepsOptionalPeersApart',
      keepsOptionalPeersApart,
      ['middleware/send.ts -> @opentelemetry/api (type)', 'features/factors.ts -> otpauth (type)'],
    ],
    [
      'loadsLazily',
      loadsLazily,
      [
        'client/b.ts -> undici (value)',
        'client/transport.ts -> undici (value)',
        'stores/store.ts -> libphonenumber-js/max (value)',
        'totp/totp.ts -> otpauth (value)',
      ],
    ],
    [
      'leavesConnectionsToTransport',
      leavesConnectionsToTransport,
      ['client/b.ts -> undici (value)'],
    ],
    [
      'importsPackagesItMay',
      importsPackagesItMay,
      [
        'client/c.ts -> fs (value)',
        'protocol/auth.ts -> @scope/thing/sub (value)',
        'errors.ts -> zod (value)',
      ],
    ],
    [
      'isDeclared',
      isDeclared(declared),
      [
        'client/c.ts -> fs (value)',
        'options.ts -> left-pad (value)',
        'protocol/auth.ts -> @scope/thing/sub (value)',
        'cli/audit.ts -> passport-sms-otp/client (value)',
        'opentelemetry/spans.ts -> passport-sms-otp/testing (value)',
      ],
    ],
  ])('is noticed by %s', (_name, keepsRule, found) => {
    expect(breaking(BAD, keepsRule)).toEqual(found);
  });

  it.each([
    ['hasNamedExportsOnly', hasNamedExportsOnly, ['core/core.ts', 'surprise/b.ts']],
    ['onlyListsNames', onlyListsNames, ['client/index.ts']],
    ['leavesSessionsToTheSlot', leavesSessionsToTheSlot, ['middleware/send.ts', 'core/core.ts']],
    ['namesNoFeature', namesNoFeature, ['core/core.ts']],
  ])('is noticed by %s', (_name, keepsRule, found) => {
    expect(breaches(BAD, keepsRule)).toEqual(found);
  });

  it('shows its circle', () => {
    expect(findCycles(readImports(BAD))).toEqual(['client/b.ts -> client/c.ts -> client/b.ts']);
  });
});
