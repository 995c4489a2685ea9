import { cpSync, existsSync, readdirSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import type { Command } from '../command';
import { CommandFailure } from '../failures';

/** The root of the package. Built files are as deep below it as the sources. */
const ROOT = join(__dirname, '../../..');
/** What the pages import besides this package and Express. */
const PACKAGES = 'escape-html zod';

export const copyPages: Command = {
  name: 'copy-pages',
  summary: 'copy the sources of the ready-made pages into your app',
  positionals: ['<folder>'],
  options: {
    javascript: { help: 'write JavaScript (CommonJS); default: TypeScript' },
  },
  notes: [
    'The copy is yours: import smsOtpPages from it in place of passport-sms-otp/pages. No route changes.',
    'Updates of the package do not change it.',
  ],
  run({ args, io, output }) {
    const isJavaScript = args.isOn('javascript');
    const folder = resolve(io.folder, args.positionals[0] ?? '');
    if (existsSync(folder) && readdirSync(folder).length > 0) {
      throw new CommandFailure(
        'The folder has files already. Nothing was written.',
        'Choose a new or empty folder.',
      );
    }
    const source = join(ROOT, isJavaScript ? 'dist/pages' : 'src/pages');
    // The declarations of the built files are for importing them from the package.
    cpSync(source, folder, { recursive: true, filter: (path) => !path.endsWith('.d.ts') });
    const shown = relative(io.folder, folder);
    output.line(`The pages are in ${shown}. Next:`);
    output.line('');
    output.line(`  npm install ${PACKAGES}`);
    if (!isJavaScript) output.line('  npm install --save-dev @types/escape-html');
    output.line(`  import smsOtpPages from ./${shown} in place of passport-sms-otp/pages`);
    output.line('');
    output.line('Your build must copy its folder assets too.');
    return Promise.resolve(0);
  },
};
