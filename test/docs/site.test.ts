import { beforeAll, describe, expect, it } from '@jest/globals';
import manifest from '../../package.json';
import { mustRun } from '../package/packed/run';
import { readPage, ROOT } from './support/pages';

interface Contents {
  readonly groups: readonly {
    readonly title: string;
    readonly pages: readonly { readonly path: string; readonly title: string }[];
  }[];
  readonly entries: readonly { readonly specifier: string; readonly source: string }[];
}

const SCRIPT = `
  import { readEntries, readGroups } from './docs/site/contents.mjs';
  console.log(JSON.stringify({ groups: readGroups(), entries: readEntries() }));`;

describe('the navigation of the site', () => {
  let contents: Contents;

  beforeAll(async () => {
    const said = await mustRun('node', ['--input-type=module', '--eval', SCRIPT], ROOT);
    contents = JSON.parse(said) as Contents; // what the script above prints
  });

  it('has the headings of docs/README.md, in their order', () => {
    const headings = Array.from(
      readPage('docs/README.md').text.matchAll(/^## (.+)$/gm),
      ([, heading]) => heading,
    );
    expect(headings.length).toBeGreaterThan(5);
    expect(contents.groups.map(({ title }) => title)).toEqual(headings);
  });

  it('has each page once, under its own title', () => {
    const pages = contents.groups.flatMap((group) => group.pages);
    expect(pages.length).toBeGreaterThan(40);
    expect(new Set(pages.map(({ path }) => path)).size).toBe(pages.length);
    for (const { path, title } of pages) expect(readPage(path).text).toContain(`# ${title}\n`);
  });

  it('has a reference of every entry of the package, under the name that people import', () => {
    const names = Object.keys(manifest.exports).filter((name) => name !== './package.json');
    expect(contents.entries.map(({ specifier }) => specifier)).toEqual(
      names.map((name) => manifest.name + name.slice(1)),
    );
  });
});
