import { once } from 'node:events';
import { createRequire } from 'node:module';
import type { RunningDemo } from '../../demo/start-demo';
import type { Command, CommandCall } from '../command';
import { CommandFailure, toStartFailure } from '../failures';

/**
 * Peer dependencies that the demo needs. npm installs them with the package; otherwise the app
 * does.
 */
const PEERS = ['express', 'express-session', 'passport'];

export const demo: Command = {
  name: 'demo',
  summary: 'run a small app with a second factor, a simulated gateway and its inbox',
  options: {
    port: { value: '<number>', help: 'the port of the app; 0: any free one; default: 3000' },
  },
  notes: [
    'Nothing is sent: messages appear in the inbox.',
    'Everything is kept in memory, and only this machine can connect.',
  ],
  async run(call) {
    const port = call.args.whole('port', { min: 0, max: 65_535, fallback: 3_000 });
    const { startDemo } = await loadDemo();
    const running = await startDemo(port).catch((error: unknown) => {
      throw toStartFailure(error, 'Choose another one with --port. 0 means any free port.');
    });

    try {
      showDemo(call, running);
      if (!call.io.signal.aborted) await once(call.io.signal, 'abort');
    } finally {
      await running.close();
    }

    return 0;
  },
};

/**
 * Loads the demo. Only this command needs it. @throws {CommandFailure} that names missing packages.
 */
async function loadDemo() {
  const { resolve } = createRequire(__filename);
  const missing = PEERS.filter((name) => {
    try {
      resolve(name);
      return false;
    } catch {
      // The package is not installed where this package can load it.
      return true;
    }
  });
  if (missing.length === 0) return import('../../demo/start-demo');

  const names = missing.join(', ');
  throw new CommandFailure(
    `The demo needs packages that are not installed here: ${names}.`,
    `npm install ${missing.join(' ')}`,
  );
}

function showDemo(call: CommandCall, running: RunningDemo): void {
  const { line, style } = call.output;

  line(style('bold', 'An app with a text-message code as second factor'));
  line('');
  line(`  app       ${style('cyan', running.appUrl)}`);
  line(`  inbox     ${style('cyan', running.inboxUrl)}`);
  line(`  user      ${running.username}`);
  line(`  password  ${running.password}`);
  line('');
  line(style('dim', 'Log in to the app. The code appears in the inbox. Press Ctrl+C to stop.'));
}
