/** What a browser reads out of a message: the host the code is for, and the code. */
export interface OriginLine {
  readonly host: string;
  readonly code: string;
}

/**
 * The steps of "Origin-bound one-time codes delivered via SMS": the last line alone, split at line
 * feeds.
 */
export function readLastLine(text: string): OriginLine | null {
  const lastLine = text.replace(/\r\n?/g, '\n').split('\n').at(-1) ?? '';
  const match = /^@(?<host>\S+) #(?<code>\S+)/.exec(lastLine);
  return match === null ? null : { host: match.groups?.host ?? '', code: match.groups?.code ?? '' };
}

/** Chrome's parser is not anchored: the first match anywhere in the text counts. */
export function readAsChrome(text: string): OriginLine | null {
  const match = /(?:^|\s)@(?<host>[a-zA-Z0-9.-]+) #(?<code>[^#\s]+)/.exec(text);
  return match === null ? null : { host: match.groups?.host ?? '', code: match.groups?.code ?? '' };
}
