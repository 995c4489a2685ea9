import { html, type HtmlValue } from '../html';
import type { StepUpPage } from '../page';
import type { Texts } from '../texts';
import { form, link, notice } from './parts';
import type { View } from './view';

/** Asks a logged-in user for a factor. The button sends the message, not the page. */
export function stepUpView(page: StepUpPage, texts: Texts): View {
  const title = texts('action.prove');
  const body = html`<div class="card">
    <h1>${title}</h1>
    ${notice(page)}
    <p>${explain(page, texts)}</p>
    ${nextStep(page, texts)}
    <p class="aside">${link(page.homeHref, texts('action.notNow'), 'plain')}</p>
  </div>`;
  return { title, body };
}

function explain({ hasFactor, addNumberHref, first, digits }: StepUpPage, texts: Texts): string {
  if (!hasFactor) return texts(addNumberHref === null ? 'stepUp.none' : 'stepUp.addNumber');
  if (first) return texts('stepUp.first');
  return digits ? texts('stepUp.message', { digits }) : texts('stepUp.messageUnknown');
}

function nextStep(page: StepUpPage, texts: Texts): HtmlValue {
  if (page.hasFactor) {
    const label = texts(page.first ? 'action.continue' : 'code.send');
    return form(page, 'step-up', html`<button class="button">${label}</button>`);
  }
  if (page.addNumberHref === null) return null;
  return html`<p class="actions">${link(page.addNumberHref, texts('settings.addNumber'))}</p>`;
}
