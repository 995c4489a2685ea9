import type { LocaleTexts } from '../locale-texts';

export const de: LocaleTexts = {
  opening: '{name}: ',
  plain: {
    login: '{app}[PIN] ist Ihr Anmeldecode. Er gilt {min} Min. Geben Sie ihn niemals weiter.',
    'step-up': '{app}[PIN] ist Ihr Bestätigungscode. Er gilt {min} Min. Geben Sie ihn niemals weiter.',
    transaction:
      '{app}[PIN] ist Ihr Code für {amount} an {payee}. Er gilt {min} Min. Geben Sie ihn niemals weiter.',
    enrol: '{app}[PIN] ist Ihr Code für diese Rufnummer. Er gilt {min} Min. Geben Sie ihn niemals weiter.',
    'short-transaction': '{app}[PIN]: {amount} an {payee}',
  },
  bound: {
    login:
      '{app}Ihr Anmeldecode steht in der letzten Zeile. Er gilt {min} Min. Geben Sie ihn niemals weiter.',
    'step-up': '{app}Ihr Bestätigungscode steht am Ende. Er gilt {min} Min. Geben Sie ihn niemals weiter.',
    transaction: '{app}Ihr Code für {amount} an {payee} steht am Ende. Geben Sie ihn niemals weiter.',
    enrol:
      '{app}Der Code für diese Rufnummer steht am Ende. Er gilt {min} Min. Geben Sie ihn niemals weiter.',
    'short-transaction': '{amount} an {payee}',
  },
};
