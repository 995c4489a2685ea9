import type { CliIo } from '../cli-io';
import { styleOf, type Style } from './style';

/** Where a command writes: data on standard output, all else on standard error. */
export interface Screen {
  /** The colours of standard output. */
  readonly style: Style;
  /** The colours of standard error. */
  readonly noteStyle: Style;
  line(text?: string): void;
  json(value: unknown): void;
  note(text: string): void;
  /** A question: no line break after it. */
  ask(text: string): void;
}

export function createScreen({ stdout, stderr, env }: CliIo): Screen {
  return {
    style: styleOf(stdout, env),
    noteStyle: styleOf(stderr, env),
    line: (text = '') => void stdout.write(`${text}\n`),
    json: (value) => void stdout.write(`${JSON.stringify(value, null, 2)}\n`),
    note: (text) => void stderr.write(`${text}\n`),
    ask: (text) => void stderr.write(text),
  };
}
