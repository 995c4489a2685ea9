import type { CliIo } from '../command';
import { styleOf } from './screen';

const CELLS = 24;
const REDRAW_MS = 80;
const USUAL_WIDTH = 80;

/** A bar in the last line of a terminal; elsewhere nothing at all. */
export interface ProgressBar {
  /** @param share From 0 to 1. */
  show(share: number, text: string): void;
  /** Takes the bar away. */
  end(): void;
}

export function createProgressBar({ stderr, env, now }: CliIo): ProgressBar {
  if (stderr.isTTY !== true || env.TERM === 'dumb') return { show: () => undefined, end: () => undefined };
  const style = styleOf(stderr, env);
  let shownAt = -Infinity;
  return {
    show(share, text) {
      if (share < 1 && now() - shownAt < REDRAW_MS) return;
      shownAt = now();
      const full = Math.round(Math.min(1, Math.max(0, share)) * CELLS);
      const bar = style.cyan('█'.repeat(full)) + style.dim('░'.repeat(CELLS - full));
      // A terminal that does not know its width says 0.
      const width = stderr.columns !== undefined && stderr.columns > 0 ? stderr.columns : USUAL_WIDTH;
      const room = Math.max(0, width - CELLS - 3);
      stderr.write(`\r\u001b[K${bar}  ${text.slice(0, room)}`);
    },
    end: () => void stderr.write('\r\u001b[K'),
  };
}
