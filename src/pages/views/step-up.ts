import { html, type Html, type HtmlValue } from '../html';
import type { StepUpPage } from '../page';
import type { Texts } from '../texts';
import { explainWay, form, link, notice } from './parts';
import type { View } from './view';

/**
 * Returns the page that asks a logged-in user for a factor. The button sends the message, not the
 * page.
 */
export function stepUpView(page: StepUpPage, texts: Texts): View {
  const title = texts('action.prove');
  const body = html`<div class="card">
    <h1>${title}</h1>
    ${notice(page)}
    <p>${explain(page, texts)}</p>
    ${nextStep(page, texts)}
    <p class="aside">${link(page.homeHref, texts('action.notNow'), 'plain')}</p>
    ${!page.hasFactor && logOut(page, texts)}
  </div>`;

  return { title, body };
}

/**
 * Returns the form that logs out. A user without a factor may reach no page of the app that has
 * one.
 */
function logOut(page: StepUpPage, texts: Texts): Html {
  const button = html`<button class="quiet">${texts('action.logOut')}</button>`;
  return html`<div class="other-ways">${form(page, 'log-out', button)}</div>`;
}

function explain(page: StepUpPage, texts: Texts): string {
  const { hasFactor, sends, digits, first } = page;
  if (!hasFactor) return texts(page.addNumberHref === null ? 'stepUp.none' : 'stepUp.addNumber');
  if (sends === 'code') return texts('stepUp.code');
  if (sends === 'message')
    return digits ? texts('stepUp.message', { digits }) : texts('stepUp.messageUnknown');
  return first ? `${texts('stepUp.first')} ${explainWay(first, texts)}` : texts('stepUp.first');
}

function nextStep(page: StepUpPage, texts: Texts): HtmlValue {
  if (page.hasFactor) {
    const label = texts(page.sends === null ? 'action.continue' : 'code.send');
    return form(page, 'step-up', html`<button class="button">${label}</button>`);
  }
  if (page.addNumberHref === null) return null;
  return html`<p class="actions">${link(page.addNumberHref, texts('settings.addNumber'))}</p>`;
}
