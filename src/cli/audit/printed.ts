import type { AuditConfig } from './config';

const LINES = 40;
const MOST_CHARACTERS = 64 * 1024;
const MOST_OF_A_LINE = 300;

/** Keeps what the running app has printed last. */
export class Printed {
  #text = '';

  /** Forgets the output of the previous app. */
  begin(): void {
    this.#text = '';
  }

  add(chunk: string): void {
    this.#text += chunk;
    if (this.#text.length <= MOST_CHARACTERS) return;
    const kept = this.#text.slice(-MOST_CHARACTERS / 2);
    // Drop the first line: it may be cut off, and half a secret would not be found in it.
    this.#text = kept.slice(kept.indexOf('\n') + 1);
  }

  has(word: string): boolean {
    return this.#text.includes(word);
  }

  /** Returns the last 40 lines, without the secrets of the run. */
  lines(secrets: RunSecrets): readonly string[] {
    const lines = clean(this.#text.trimEnd(), secrets).split('\n').slice(-LINES);
    return lines
      .map((line) => line.trimEnd().slice(0, MOST_OF_A_LINE))
      .filter((line, place) => line !== '' || place > 0);
  }
}

/** Values that the output of an app may contain and a report must not. */
export interface RunSecrets {
  /** Passwords, names and keys. */
  readonly texts: readonly string[];
  /** Phone numbers in E.164. */
  readonly phones: readonly string[];
  readonly codes: readonly string[];
}

/** Matches names of variables whose values are secrets. */
const SECRET_NAME = /SECRET|PASS|TOKEN|KEY|CREDENTIAL|AUTH|_URL$|_URI$|_DSN$/i;
const SHORTEST = 4;

/** Returns the secret values of an environment. */
export function readSecretVariables(
  env: Readonly<Record<string, string | undefined>>,
  { start }: Pick<AuditConfig, 'start'>,
): readonly string[] {
  const all = Object.entries({ ...env, ...start.environment });
  const found = all.flatMap(([name, value]) => (SECRET_NAME.test(name) ? (value ?? []) : []));
  return found.filter((value) => value.length > SHORTEST);
}

/**
 * Removes secrets from foreign output. A secret is found in plain form, in a URL, a form, JSON,
 * HTML and Base64; a number with or without its country code, in any spelling.
 */
export function clean(text: string, { texts, phones, codes }: RunSecrets): string {
  const spellings = [...texts, ...phones]
    .filter((secret) => secret.length >= SHORTEST)
    .flatMap(spellingsOf)
    .toSorted((one, other) => other.length - one.length);
  const withoutTexts = spellings.reduce((shown, secret) => shown.replaceAll(secret, HIDDEN), text);
  const numbers = [...phones.map(toNumberPattern), ...codes.map(toCodePattern)];
  const withoutNumbers = numbers.reduce(
    (shown, pattern) => shown.replaceAll(pattern, HIDDEN),
    withoutTexts,
  );
  return withoutNumbers.replaceAll(ACCOUNT, `$1${HIDDEN}@`).replaceAll(TOKEN, HIDDEN);
}

const HIDDEN = '[hidden]';
/** Matches user name and password in a URL. */
const ACCOUNT = /(:\/\/)[^\s/@]+@/g;
/** Matches session cookies, JSON web tokens, hashes and ids: long words of letters and digits. */
const TOKEN = /(?<![\w%.-])(?=[\w%.+-]*\d)(?=[\w%.+-]*[A-Za-z])[\w%.+-]{20,}={0,2}/g;

function spellingsOf(secret: string): readonly string[] {
  const inUrl = encodeURIComponent(secret);
  const inHtml = secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
  const inJson = JSON.stringify(secret).slice(1, -1);
  const inBase64 = Buffer.from(secret).toString('base64');
  const spellings = [secret, inUrl, inUrl.replaceAll('%20', '+'), inHtml, inJson, inBase64];
  return [...spellings, inBase64.replace(/=+$/, '')];
}

/** Returns a pattern for the last nine digits with any separators. */
function toNumberPattern(phone: string): RegExp {
  const digits = Array.from(phone.slice(-9)).join('[ ().-]*');
  return new RegExp(`(?:[+(\\d][\\d(). -]{0,7})?${digits}`, 'g');
}

function toCodePattern(code: string): RegExp {
  return new RegExp(`(?<!\\d)${code}(?!\\d)`, 'g');
}
