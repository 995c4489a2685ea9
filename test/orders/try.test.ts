import { appendFileSync } from 'node:fs';
import { test, jest } from '@jest/globals';
import { makeWorld } from './app';
import { judge } from './judge';
import { Points } from './points';
import { type State, STATES, type Verb, VERBS } from './scenarios';
test('x', async () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'clearImmediate', 'queueMicrotask', 'performance', 'hrtime'] });
  const points = new Points();
  const world = makeWorld(points);
  const [wanted, ...only] = (process.env.TRY ?? 'pending resend resend').split(' ');
  const out = process.env.OUT ?? '/dev/stdout';
  const t0 = performance.now();
  let total = 0;
  for (const state of wanted === 'all' ? STATES : [wanted as State]) {
    for (const [i, a] of VERBS.entries()) for (const b of VERBS.slice(i)) {
      if (only.length > 0 && !(only.includes(a) && only.includes(b) && (only[0] !== only[1] || a === b) && (only[0] === only[1] || a !== b))) continue;
      if (performance.now() - t0 > 570_000) return;
      const t = performance.now();
      let text: string;
      try {
      const { orders, found } = await judge(world, { state, verbs: [a, b] as Verb[] });
      total += orders;
      text = `== ${state} ${a} ${b}: ${orders} orders, ${Math.round(performance.now() - t)} ms, total ${total} in ${Math.round((performance.now() - t0)/1000)} s\n` + found.filter(f => process.env.ALL || !['expected', 'another-word'].includes(f.verdict.kind)).map((f) => `${f.count} x ${f.verdict.kind} ${f.verdict.kind === 'harm' ? f.verdict.harms.join(';') : ''} :: ${f.line}\n      ${f.path.join(' ')}\n`).join('');
      } catch (e) { text = `== ${state} ${a} ${b} ERROR ${(e as Error).message}\n`; }
      appendFileSync(out, text);
      jest.clearAllTimers();
    }
  }
}, 590000);
