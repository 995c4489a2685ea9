import type { LocaleTexts } from '../locale-texts';

export const it: LocaleTexts = {
  opening: '{name}: ',
  plain: {
    login: '{app}[PIN] è il tuo codice di accesso. Scade tra {min} min. Non comunicarlo a nessuno.',
    'step-up': '{app}[PIN] è il tuo codice di conferma. Scade tra {min} min. Non comunicarlo a nessuno.',
    transaction:
      '{app}[PIN] è il tuo codice per {amount} a {payee}. Scade tra {min} min. Non comunicarlo a nessuno.',
    enrol: '{app}[PIN] è il tuo codice per questo numero. Scade tra {min} min. Non comunicarlo a nessuno.',
    'short-transaction': '{app}[PIN]: {amount} a {payee}',
  },
  bound: {
    login:
      "{app}Il tuo codice di accesso è nell'ultima riga. Scade tra {min} min. Non comunicarlo a nessuno.",
    'step-up':
      "{app}Il tuo codice di conferma è nell'ultima riga. Scade tra {min} min. Non comunicarlo a nessuno.",
    transaction: "{app}Il tuo codice per {amount} a {payee} è nell'ultima riga. Non comunicarlo a nessuno.",
    enrol:
      "{app}Il tuo codice per questo numero è nell'ultima riga. Scade tra {min} min. Non comunicarlo a nessuno.",
    'short-transaction': '{amount} a {payee}',
  },
};
