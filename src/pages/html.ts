import escapeHtml = require('escape-html');

/** HTML that is safe to send, because every value in it has been escaped. */
export class Html {
  readonly #source: string;

  constructor(source: string) {
    this.#source = source;
  }

  toString(): string {
    return this.#source;
  }
}

/** A value of a template. `null`, `undefined` and `false` become nothing. */
export type HtmlValue = Html | string | number | null | undefined | false | readonly HtmlValue[];

/**
 * Builds HTML and escapes every value that is not HTML itself. Attributes must be quoted in the
 * template, because only there is an escaped value safe.
 *
 * @example html`<b>${'<i>'}</b>` is `<b>&lt;i&gt;</b>`.
 */
export function html(parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return new Html(String.raw({ raw: parts }, ...values.map(toSource)));
}

/**
 * Marks a string as HTML without escaping it. Use it only for HTML that the app or a view has
 * rendered.
 */
export function raw(source: string): Html {
  return new Html(source);
}

function toSource(value: HtmlValue): string {
  if (value === null || value === undefined || value === false) return '';
  if (typeof value === 'string' || typeof value === 'number') return escapeHtml(String(value));
  if (value instanceof Html) return value.toString();
  return value.map(toSource).join('');
}

/** Any https base: relative addresses get its scheme. */
const BASE = 'https://localhost/';

/**
 * Returns an address that is relative or has the scheme https. Any other becomes `#`, because an
 * escaped `javascript:` would still run.
 *
 * @example safeHref('javascript:alert(1)') is `#`, and safeHref('code') is `code`.
 */
export function safeHref(address: string): string {
  const isSafe = URL.canParse(address, BASE) && new URL(address, BASE).protocol === 'https:';
  return isSafe ? address : '#';
}
