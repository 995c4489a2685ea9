import type { CliIo, TextSink } from '../cli-io';

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
