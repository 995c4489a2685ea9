import { startApp, type RunningApp } from './app';
import type { HostedSettings, Order, Reply } from './host';
import { reportOf, type Report } from './report';
import { openState, type State } from './state';

// Run as a program: a process that opens apps for its parent, one after the other or side by side.

const apps: { readonly app: RunningApp; readonly state: State }[] = [];
const unhandled: string[] = [];
process.on('unhandledRejection', (reason) => unhandled.push(String(reason)));
process.on('message', (order) => {
  // The parent is ours and sends nothing else.
  void obey(order as Order);
});

async function obey({ id, order, app, settings }: Order): Promise<void> {
  const reply: Reply = { id };
  try {
    if (order === 'open' && settings !== undefined) reply.opened = await open(settings);
    if (order === 'report') reply.report = report(app);
    if (order === 'collect') reply.heapBytes = collect();
    if (order === 'close') await close(app);
    if (order === 'end') return end();
  } catch (error) {
    reply.error = String(error);
  }
  process.send?.(reply);
}

async function open({
  state: stateSettings,
  ...settings
}: HostedSettings): Promise<NonNullable<Reply['opened']>> {
  const state = await openState(stateSettings);
  const app = await startApp(settings, state);
  return { app: apps.push({ app, state }) - 1, url: app.url };
}

function find(index: number | undefined): (typeof apps)[number] {
  const found = apps[index ?? -1];
  if (found === undefined) throw new Error('there is no such app');
  return found;
}

function report(index: number | undefined): Report {
  return { ...reportOf(find(index).app), unhandled };
}

/** The heap after everything that is garbage has gone. */
function collect(): number {
  global.gc?.();
  return process.memoryUsage().heapUsed;
}

async function close(index: number | undefined): Promise<void> {
  const { app, state } = find(index);
  await app.close();
  await state.close();
}

/** Whatever we have opened is closed by now: nothing may keep the process alive. */
function end(): void {
  process.removeAllListeners('message');
  process.disconnect();
}
