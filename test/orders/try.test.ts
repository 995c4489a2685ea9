import { test, jest } from '@jest/globals';
import { makeWorld } from './app';
import { explore } from './explorer';
import { describe as tell } from './outcome';
import { Points } from './points';
import { toSubject, type State, type Verb } from './scenarios';
test('x', async () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'clearImmediate', 'queueMicrotask', 'performance', 'hrtime'] });
  const points = new Points();
  const world = makeWorld(points);
  const [state, ...verbs] = (process.env.TRY ?? 'pending resend resend').split(' ');
  const seen = new Map<string, [number, string]>();
  const t = performance.now();
  let n = 0;
  const opts = process.env.FULL ? { isReduced: false } : {};
  for await (const run of explore(points, toSubject(world, { state: state as State, verbs: verbs as Verb[] }), opts)) {
    n += 1;
    const line = tell(run.outcome);
    const old = seen.get(line);
    seen.set(line, [(old?.[0] ?? 0) + 1, old?.[1] ?? run.path.join(' ')]);
  }
  const ms = performance.now() - t;
  process.stdout.write(`${n} orders, ${Math.round(ms)} ms\n` + [...seen].map(([l, [c, p]]) => `${c} x ${l}\n      ${p}\n`).join(''));
}, 280000);
