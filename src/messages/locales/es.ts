import type { LocaleTexts } from '../locale-texts';

// "clave" and not "código", "teléfono" and not "número": ó and ú would force UCS-2, é does not.
export const es: LocaleTexts = {
  opening: '{name}: ',
  plain: {
    login: '{app}[PIN] es su clave de acceso. Caduca en {min} min. No la comparta con nadie.',
    'step-up': '{app}[PIN] es su clave para confirmar. Caduca en {min} min. No la comparta con nadie.',
    transaction:
      '{app}[PIN] es su clave para pagar {amount} a {payee}. Caduca en {min} min. No la comparta con nadie.',
    enrol:
      '{app}[PIN] es su clave para validar este teléfono. Caduca en {min} min. No la comparta con nadie.',
    'short-transaction': '{app}[PIN]: {amount} a {payee}',
  },
  bound: {
    login: '{app}Su clave de acceso aparece al final. Caduca en {min} min. No la comparta con nadie.',
    'step-up':
      '{app}Su clave para confirmar aparece al final. Caduca en {min} min. No la comparta con nadie.',
    transaction: '{app}Su clave para pagar {amount} a {payee} aparece al final. No la comparta con nadie.',
    enrol:
      '{app}Su clave para validar este teléfono aparece al final. Caduca en {min} min. No la comparta con nadie.',
    'short-transaction': '{amount} a {payee}',
  },
};
