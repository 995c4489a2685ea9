import { writeUnit } from '../duration';
import { html, type Html, type HtmlValue } from '../html';
import type { CodePage, Way } from '../page';
import type { Texts } from '../texts';
import {
  codeField,
  explainWay,
  form,
  isolate,
  link,
  nameWay,
  notice,
  trustBox,
  wayLinks,
} from './parts';
import { resendForms } from './resend';
import type { View } from './view';

/** Returns the code page. Each of its five states has one next step, which comes first. */
export function codeView(page: CodePage, texts: Texts): View {
  const title = titleOf(page, texts);
  const isAtField = page.state === 'sent' && page.isNoticeAboutCode;

  const body = html`<div class="card">
    <h1>${title}</h1>
    ${transaction(page, texts)} ${!isAtField && notice(page)} ${nextStep(page, texts)}
    <div class="other-ways">${otherMessages(page, texts)} ${cancel(page, texts)}</div>
    <p class="aside"><a href="other-ways">${texts('code.cannotGet')}</a></p>
  </div>`;

  return { title, body };
}

function titleOf(page: CodePage, texts: Texts): string {
  const { state } = page;
  if (state === 'other-factor') return texts('action.prove');
  return texts(state === 'sent' ? `code.${page.purpose}.title` : `code.${state}.title`);
}

function transaction(page: CodePage, texts: Texts): HtmlValue {
  if (!page.transaction) return null;

  return html`<dl class="facts order">
    <div>
      <dt>${texts('code.amount')}</dt>
      <dd><bdi>${page.transaction.amount}</bdi></dd>
    </div>
    <div>
      <dt>${texts('code.payee')}</dt>
      <dd><bdi>${page.transaction.payee}</bdi></dd>
    </div>
  </dl>`;
}

function nextStep(page: CodePage, texts: Texts): HtmlValue {
  const [first] = page.ways;
  switch (page.state) {
    case 'sent':
      return enterCode(page, texts);
    case 'not-sent':
      return [!page.notice && html`<p>${texts('code.notSent')}</p>`, leadingResend(page, texts)];
    case 'no-attempts':
      return [!page.notice && html`<p>${texts('code.noAttempts')}</p>`, leadingResend(page, texts)];
    case 'other-factor':
      return first && leadingWay(first, texts);
    case 'locked':
      return [
        wayLinks(page.ways, texts),
        page.resend && resendForms(page, page.resend, texts('code.send'), 'quiet', texts),
      ];
  }
}

function enterCode(page: CodePage, texts: Texts): Html {
  const { isNoticeAboutCode } = page;
  const isRefused = isNoticeAboutCode && page.notice?.kind === 'error';
  const fields = html`<div class="field">
      <label for="code">${texts(page.address === null ? 'code.label' : 'factor.code')}</label>
      ${isNoticeAboutCode && notice(page)}
      <p class="hint" id="code-hint">${timeLeft(page, texts)}${attemptsLeft(page, texts)}</p>
      ${codeField(page.fields.code, 'code-hint', isRefused)}
    </div>
    <button class="button">${texts('action.confirm')}</button>
    ${trustBox(page, page.trustDays, texts)}`;

  return html`<p>${sentTo(page, texts)}${page.transaction && ` ${texts('code.compare')}`}</p>
    ${form(page, page.action, fields, html` data-web-otp="${page.fields.code}"`)}`;
}

function sentTo({ digits, address }: CodePage, texts: Texts): string {
  if (address !== null) return texts('code.sentTo', { address: isolate(address) });
  return digits ? texts('code.sent', { digits }) : texts('code.sentUnknown');
}

function timeLeft(page: CodePage, texts: Texts): string {
  if (page.secondsLeft < 60) return texts('code.secondsLeft');
  const minutes = Math.round(page.secondsLeft / 60);
  return texts('code.timeLeft', { time: writeUnit(page.locale, minutes, 'minute') });
}

function attemptsLeft(page: CodePage, texts: Texts): HtmlValue {
  const count = page.attemptsLeft;
  if (count === null) return null;
  return html` <span class="whole">${texts('code.attemptsLeft', { count })}</span>`;
}

function leadingWay(way: Way, texts: Texts): Html {
  return html`<p>${explainWay(way, texts)}</p>
    <p class="actions">${link(way.href, nameWay(way, texts))}</p>`;
}

/** Shows what comes first: the resend button, or the other ways if no more messages can be sent. */
function leadingResend(page: CodePage, texts: Texts): HtmlValue {
  if (!page.resend) return wayLinks(page.ways, texts);
  const label = texts(page.state === 'not-sent' ? 'code.send' : 'code.resend');
  return resendForms(page, page.resend, label, 'button', texts);
}

/** Shows the message as the second choice if another way comes first. */
function otherMessages(page: CodePage, texts: Texts): HtmlValue {
  if (page.state === 'locked') return null;
  if (!page.resend) return html`<p class="hint">${texts('code.noMore')}</p>`;
  if (page.state !== 'sent' && page.state !== 'other-factor') return null;
  const instead = page.resend.isText ? 'code.sendInstead' : 'code.send';
  const label = texts(page.state === 'sent' ? 'code.resend' : instead);
  return resendForms(page, page.resend, label, 'quiet', texts);
}

function cancel(page: CodePage, texts: Texts): Html {
  const hasNextStep = page.state === 'sent' || page.resend !== null || page.ways.length > 0;
  const label = texts(hasNextStep ? 'action.cancel' : 'action.startAgain');
  const style = hasNextStep ? 'quiet' : 'button';
  return form(page, 'cancel', html`<button class="${style}">${label}</button>`);
}
