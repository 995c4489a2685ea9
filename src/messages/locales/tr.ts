import type { LocaleTexts } from '../locale-texts';

// Words without ç, ğ, ı, İ, ş: they would force UCS-2.
export const tr: LocaleTexts = {
  opening: '{name}: ',
  plain: {
    login: '{app}Oturum kodunuz: [PIN]. Süre: {min} dakika. Kodu kimseye vermeyin.',
    'step-up': '{app}Onay kodunuz: [PIN]. Süre: {min} dakika. Kodu kimseye vermeyin.',
    transaction:
      '{app}Ödeme kodunuz: [PIN]. Tutar: {amount}, alan: {payee}. Süre: {min} dakika. Kodu kimseye vermeyin.',
    enrol: '{app}Telefon onay kodunuz: [PIN]. Süre: {min} dakika. Kodu kimseye vermeyin.',
    'short-transaction': '{app}[PIN]: {amount}, alan: {payee}',
  },
  bound: {
    login: '{app}Oturum kodunuz en altta. Süre: {min} dakika. Kodu kimseye vermeyin.',
    'step-up': '{app}Onay kodunuz en altta. Süre: {min} dakika. Kodu kimseye vermeyin.',
    transaction: '{app}Ödeme kodunuz en altta. Tutar: {amount}, alan: {payee}. Kodu kimseye vermeyin.',
    enrol: '{app}Telefon onay kodunuz en altta. Süre: {min} dakika. Kodu kimseye vermeyin.',
    'short-transaction': '{amount}, alan: {payee}',
  },
};
