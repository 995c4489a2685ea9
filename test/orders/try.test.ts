import { appendFileSync } from 'node:fs';
import { test, jest } from '@jest/globals';
import { makeWorld } from './app';
import { judge, judgeMishaps } from './judge';
import { Points } from './points';
import { findProblems } from './report';
import { type State, STATES, type Verb, VERBS } from './scenarios';
test('x', async () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'clearImmediate', 'queueMicrotask', 'performance', 'hrtime'] });
  const world = makeWorld(new Points());
  const sets: [State, Verb[]][] = process.env.TRY === 'mishaps' ? STATES.flatMap((s) => VERBS.map((v) => [s, [v]] as [State, Verb[]])) : (process.env.TRY ?? '').split(',').map((t) => { const [s, ...v] = t.trim().split(' '); return [s as State, v as Verb[]]; });
  const out = process.env.OUT ?? '/dev/stdout';
  const t0 = performance.now();
  let total = 0;
  for (const [state, verbs] of sets) {
      if (performance.now() - t0 > 570_000) return;
      const t = performance.now();
      let text: string;
      try {
      const report = process.env.MIS ? await judgeMishaps(world, { state, verbs }) : await judge(world, { state, verbs }, process.env.PRE ? { mostPreemptions: Number(process.env.PRE) } : {});
      total += report.orders;
      text = `== ${state} ${verbs}: ${report.orders} orders, ${Math.round(performance.now() - t)} ms, total ${total} in ${Math.round((performance.now() - t0)/1000)} s\n` + findProblems(report).join('\n') + '\n';
      } catch (e) { text = `== ${state} ${verbs} ERROR ${(e as Error).stack}\n`; }
      appendFileSync(out, text);
      jest.clearAllTimers();
  }
}, 590000);
