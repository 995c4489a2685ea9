import type { CliIo, TextSink } from '../command';

/** Text of the gateway's or of a file: nothing in it steers the terminal or breaks the line. */
export function cleanText(text: string | null): string {
  return (text ?? '').replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, ' ').trim();
}

export type Paint = (text: string) => string;

/** Colours of one stream, or none. */
export interface Style {
  readonly bold: Paint;
  readonly dim: Paint;
  readonly red: Paint;
  readonly green: Paint;
  readonly yellow: Paint;
  readonly cyan: Paint;
}

/** Colours on a terminal, unless NO_COLOR (no-color.org) or a dumb terminal says otherwise. */
export function styleOf(sink: TextSink, env: CliIo['env']): Style {
  const hasColours = sink.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb';
  const paint =
    (open: number, close: number): Paint =>
    (text) =>
      hasColours ? `\u001b[${open}m${text}\u001b[${close}m` : text;
  return {
    bold: paint(1, 22),
    dim: paint(2, 22),
    red: paint(31, 39),
    green: paint(32, 39),
    yellow: paint(33, 39),
    cyan: paint(36, 39),
  };
}

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
