import { writeClock } from '../duration';
import { html, type Html } from '../html';
import type { PageBase, Place, Resend } from '../page';
import type { Texts } from '../texts';
import { form, hidden, isolate, splitAt } from './parts';

/**
 * Returns the buttons that send another message, one for each place of the user. Without the
 * script they always work, and the server answers "too soon".
 */
export function resendForms(
  page: Pick<PageBase, 'csrf' | 'fields'>,
  resend: Resend,
  label: string,
  style: 'button' | 'quiet',
  texts: Texts,
): Html {
  const others = resend.others.map((place) => {
    const button = html`<button class="quiet">${sendTo(place, texts)}</button>`;
    return form(page, 'resend', [hidden(page.fields.phoneId, place.phoneId), button]);
  });

  return html`<div class="resend" data-wait="${resend.seconds}">
    ${!resend.isLocked && form(page, 'resend', html`<button class="${style}">${label}</button>`)}
    ${others} ${resend.seconds > 0 && countdown(resend.seconds, texts)}
    <p class="visually-hidden" role="status" data-wait-over="${texts('code.waitOver')}"></p>
  </div>`;
}

function sendTo({ factor, digits, address }: Place, texts: Texts): string {
  if (address === null) return texts('code.sendTo', { digits });
  if (address.includes('@')) return texts('code.sendToAddress', { address: isolate(address) });
  // A call may go to the same number as a text message, so the name of the factor tells them apart.
  return texts('ways.named', { name: isolate(factor) });
}

function countdown(seconds: number, texts: Texts): Html {
  const [before, after] = splitAt(texts('code.wait'), '{time}');
  return html`<p class="hint" data-wait-text>
    ${before}<bdi>${writeClock(seconds)}</bdi>${after}
  </p>`;
}
