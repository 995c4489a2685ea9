/** A stream that is written to: standard output, standard error, or what a test reads. */
export interface TextSink {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
}

/** Standard input. */
export type TextSource = AsyncIterable<Buffer | string> & { readonly isTTY?: boolean | undefined };

/** Everything a command has from outside. */
export interface CliIo {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: TextSource;
  /** Data. */
  readonly stdout: TextSink;
  /** Questions, progress, complaints. */
  readonly stderr: TextSink;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Waits; ends early and without an error when the signal does. */
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Ctrl+C. */
  readonly signal: AbortSignal;
  /** The folder it runs in: files are named from here, and `redis` and `pg` are looked for. */
  readonly folder: string;
}
