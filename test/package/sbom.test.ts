import { beforeAll, describe, expect, it } from '@jest/globals';
import manifest from '../../package.json';
import lock from '../../package-lock.json';
import { ROOT } from './packed/repository';
import { mustRun } from './packed/run';

interface Component {
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly hashes?: readonly { readonly alg: string }[];
}

interface Bill {
  readonly bomFormat: string;
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
}

const locked: Readonly<
  Record<string, { readonly version?: string; readonly dependencies?: object }>
> = lock.packages;

/** Every package that the given ones bring along, by the lock file. */
function closure(names: readonly string[], seen = new Set<string>()): ReadonlySet<string> {
  for (const name of names.filter((candidate) => !seen.has(candidate))) {
    seen.add(name);
    closure(Object.keys(locked[`node_modules/${name}`]?.dependencies ?? {}), seen);
  }
  return seen;
}

describe('npm run sbom', () => {
  let text: string;
  let bill: Bill;

  beforeAll(async () => {
    text = await mustRun('npm', ['run', '--silent', 'sbom'], ROOT);
    // What CycloneDX says of its own documents.
    bill = JSON.parse(text) as Bill;
  });

  it('describes the package in CycloneDX', () => {
    const { name, version, purl } = bill.metadata.component;
    expect([bill.bomFormat, name, version]).toEqual(['CycloneDX', manifest.name, manifest.version]);
    expect(purl).toBe(`pkg:npm/${manifest.name}@${manifest.version}`);
  });

  it('lists the dependencies and theirs, each in its locked version, and nothing else', () => {
    const expected = Array.from(closure(Object.keys(manifest.dependencies)), (name) => [
      name,
      locked[`node_modules/${name}`]?.version,
    ]);
    const listed = bill.components.map(({ name, version }) => [name, version]);
    expect(listed.length).toBeGreaterThan(3);
    expect(listed.sort()).toEqual(expected.sort());
  });

  it('gives each dependency its checksum', () => {
    expect(bill.components.filter(({ hashes = [] }) => hashes.length === 0)).toEqual([]);
  });

  it('names no place of the machine it was made on', () => {
    expect(text).not.toContain(ROOT);
  });
});
