import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import manifest from '../../package.json';
import { readBlocks } from './support/blocks';
import { readPages } from './support/pages';

const blocks = readPages()
  .flatMap(readBlocks)
  .map((block) => ({ ...block, place: `${block.page}:${block.line}` }));

/** Blocks without a language are plain text: what is printed, what is sent. */
const LANGUAGES = ['', 'text', 'ts', 'js', 'sh', 'json', 'html', 'sql', 'nginx', 'yaml', 'ini'];

function of(language: string): typeof blocks {
  return blocks.filter((block) => block.language === language);
}

describe('the blocks of the documentation', () => {
  it('are of languages that are told apart', () => {
    expect(blocks.filter(({ language }) => !LANGUAGES.includes(language))).toEqual([]);
  });

  it('of JavaScript can be parsed', () => {
    const odd = of('js').filter(({ code }) => {
      const compilerOptions = { allowJs: true, module: ts.ModuleKind.ESNext };
      const settings = { fileName: 'block.mjs', reportDiagnostics: true, compilerOptions };
      return (ts.transpileModule(code, settings).diagnostics ?? []).length > 0;
    });
    expect(odd.map(({ place }) => place)).toEqual([]);
  });

  it('of JSON can be read', () => {
    expect(of('json')).not.toEqual([]);
    for (const { code } of of('json')) expect(() => JSON.parse(code) as unknown).not.toThrow();
  });

  it('of the shell name scripts that there are', () => {
    const named = of('sh').flatMap(({ code, place }) =>
      Array.from(code.matchAll(/npm run ([\w:-]+)/g), ([, name = '']) => ({ name, place })),
    );
    expect(named.filter(({ name }) => !(name in manifest.scripts))).toEqual([]);
  });
});
