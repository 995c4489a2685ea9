import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import js from '@eslint/js';
import { defineConfig } from 'eslint/config';
import jest from 'eslint-plugin-jest';
import n from 'eslint-plugin-n';
import globals from 'globals';
import tseslint from 'typescript-eslint';
import functionSize from './.ci/function-size.cjs';

/** Functions that are larger than allowed, with their present size, which may only fall. */
const ceilings = JSON.parse(
  readFileSync(join(import.meta.dirname, '.ci/function-size.ceilings.json'), 'utf8'),
);

export default defineConfig(
  {
    ignores: [
      'dist',
      'coverage',
      'reports',
      '.stryker-tmp',
      'site',
      '.site',
      'test/package/consumers',
      'test/recipes/nestjs-12/app',
    ],
  },
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: {
      parserOptions: { project: './tsconfig.json', tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      '@typescript-eslint/no-confusing-void-expression': 'off',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      // A tagged template runs its function.
      '@typescript-eslint/no-unused-expressions': ['error', { allowTaggedTemplates: true }],
      // Express and Passport are typed by global namespaces.
      '@typescript-eslint/no-namespace': ['error', { allowDeclarations: true }],
      // What the app's own callbacks throw is passed on unchanged, whatever it is.
      '@typescript-eslint/prefer-promise-reject-errors': ['error', { allowThrowingUnknown: true }],
      // A module of Nest is a class that its decorator fills.
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      // A leading underscore says that a position has to be taken.
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_' },
      ],
    },
  },
  {
    files: ['src/**/*.ts'],
    extends: [n.configs['flat/recommended']],
    plugins: { 'function-size': functionSize },
    rules: {
      'max-len': ['error', { code: 100 }],
      'function-size/complexity': ['error', { most: 15, ceilings: ceilings.complexity }],
      'function-size/own-lines': ['error', { most: 50, ceilings: ceilings['own-lines'] }],
      // TypeScript resolves the imports; the rule does not know the compiler's way of doing it.
      'n/no-missing-import': 'off',
      'n/no-missing-require': 'off',
      // zod and the schemas are loaded by the first constructor of a client, a store or a login,
      // not by an import; an optional peer by those who use it.
      '@typescript-eslint/no-require-imports': [
        'error',
        {
          allow: [
            '/(read-)?options$',
            '/open-gateway$',
            '/pending-logins$',
            '/record-sets$',
            '/wire$',
            '/(security-)?notices$',
            '\\.json$',
            '^otpauth$',
            '^escape-html$',
          ],
        },
      ],
      // The manifest names what is built.
      // Node 20 has `styleText` as it is used here, but calls it experimental.
      'n/no-unsupported-features/node-builtins': ['error', { ignores: ['util.styleText'] }],
      'n/hashbang': [
        'error',
        { convertPath: { 'src/**/*.ts': ['^src/(.+)\\.ts$', 'dist/$1.js'] } },
      ],
    },
  },
  {
    files: ['test/**/*.ts'],
    extends: [jest.configs['flat/recommended']],
    rules: {
      'jest/expect-expect': ['error', { assertFunctionNames: ['expect*'] }],
      // supertest and JSON.parse give any; what a test does with it is what it asserts.
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
    },
  },
  {
    files: [
      '.ci/*.{mjs,cjs}',
      'docs/site/**/*.mjs',
      'bench/**/*.mjs',
      'stryker.config.mjs',
      'test/{mutation,orders,support}/*.cjs',
    ],
    languageOptions: { globals: globals.node },
  },
  { files: ['**/*.js'], languageOptions: { globals: globals.browser } },
);
