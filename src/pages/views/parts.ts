import { writeTime, writeUnit } from '../duration';
import { html, safeHref, type Html, type HtmlValue } from '../html';
import type { PageBase, Way } from '../page';
import type { Texts } from '../texts';

/** Builds a form. Every form posts, and carries the app's CSRF token. */
export function form(
  page: Pick<PageBase, 'csrf'>,
  action: string,
  content: HtmlValue,
  attributes?: Html,
): Html {
  return html`<form method="post" action="${safeHref(action)}" ${attributes}>
    ${page.csrf && hidden(page.csrf.name, page.csrf.value)}${content}
  </form>`;
}

export function hidden(name: string, value: string): Html {
  return html`<input type="hidden" name="${name}" value="${value}" />`;
}

/**
 * Shows the result of the last request in a live region with the id `notice`, to which fields
 * refer.
 */
export function notice(page: Pick<PageBase, 'notice'>): HtmlValue {
  if (!page.notice) return null;
  const { kind, text } = page.notice;
  const role = kind === 'error' ? 'alert' : 'status';
  return html`<div role="${role}"><p id="notice" class="notice ${kind}">${text}</p></div>`;
}

/**
 * Returns the attributes that connect a field to its hint, and to the notice if it concerns this
 * field.
 */
export function describedBy(hint: string | null, isRefused: boolean): HtmlValue {
  const ids = [isRefused && 'notice', hint].filter(Boolean).join(' ');
  const invalid = isRefused && html` aria-invalid="true"`;
  return ids !== '' && html` aria-describedby="${ids}"${invalid}`;
}

export function link(href: string, text: string, style = 'button'): Html {
  return html`<a class="${style}" href="${safeHref(href)}">${text}</a>`;
}

/** The field of a code that phones and password managers fill in. */
export function codeField(name: string, hint: string | null, isRefused: boolean): Html {
  return html`<input
    id="code"
    class="pin"
    name="${name}"
    type="text"
    inputmode="numeric"
    autocomplete="one-time-code"
    autocapitalize="none"
    spellcheck="false"
    dir="ltr"
    required
    autofocus${describedBy(hint, isRefused)}
  />`;
}

export function trustBox(
  page: Pick<PageBase, 'fields' | 'locale'>,
  days: number | null,
  texts: Texts,
): HtmlValue {
  if (days === null) return null;

  const time = writeUnit(page.locale, days, 'day');
  return html`<div class="field tick">
    <input
      id="trust"
      name="${page.fields.trustDevice}"
      type="checkbox"
      aria-describedby="trust-hint"
    />
    <label for="trust">${texts('trust.label', { time })}</label>
    <p class="hint" id="trust-hint">${texts('trust.hint')}</p>
  </div>`;
}

/** Names a way. A factor without its own sentence is shown by its name. */
export function nameWay(way: Pick<Way, 'kind' | 'factor'>, texts: Texts): string {
  if (way.kind === 'recovery-code') return texts('ways.recovery-code');
  if (way.factor === 'totp' || way.factor === 'passkey') return texts(`ways.${way.factor}`);
  return texts('ways.named', { name: isolate(way.factor) });
}

/** Returns the sentence that tells the user what to do with a factor. */
export function explainWay(way: Pick<Way, 'factor'>, texts: Texts): string {
  const { factor } = way;
  if (factor === 'totp' || factor === 'passkey') return texts(`factor.${factor}`);
  return texts('factor.named', { name: isolate(factor) });
}

/** Isolates the direction of a name from that of the sentence around it. */
export function isolate(name: string): string {
  return `\u2068${name}\u2069`;
}

/** Lists ways as links. */
export function wayLinks(ways: readonly Way[], texts: Texts): HtmlValue {
  if (ways.length === 0) return null;
  const items = ways.map((way) => html`<li>${link(way.href, nameWay(way, texts), 'quiet')}</li>`);
  return html`<ul class="ways">
    ${items}
  </ul>`;
}

/** An action that ends something. Its button is shown only after a first click. */
export interface Danger {
  readonly summary: string;
  /** The ids of the elements that describe the object of the action. */
  readonly describedBy: string;
  /** What the action ends. */
  readonly hint: string | null;
  readonly field: Html | null;
  readonly button: string;
}

export function danger(page: Pick<PageBase, 'csrf'>, action: string, about: Danger): Html {
  const content = html`${about.field}
    ${about.hint !== null && html`<p class="hint">${about.hint}</p>`}
    <button class="quiet danger" aria-describedby="${about.describedBy}">${about.button}</button>`;
  return html`<details class="ending">
    <summary aria-describedby="${about.describedBy}">${about.summary}</summary>
    ${form(page, action, content)}
  </details>`;
}

/** Writes a sentence with a time, which the script shows in the user's time zone. */
export function timeSentence(page: Pick<PageBase, 'locale'>, sentence: string, time: number): Html {
  const [before, after] = splitAt(sentence, '{time}');
  const written = writeTime(page.locale, time);
  return html`${before}<time datetime="${new Date(time).toISOString()}">${written}</time>${after}`;
}

/**
 * Splits a sentence at its placeholder. A sentence of the app may have none.
 *
 * @example splitAt('In {time}.', '{time}') is ['In ', '.'].
 */
export function splitAt(sentence: string, placeholder: string): readonly [string, string] {
  const at = sentence.indexOf(placeholder);
  if (at < 0) return [`${sentence} `, ''];
  return [sentence.slice(0, at), sentence.slice(at + placeholder.length)];
}
