import type { LocaleTexts } from '../locale-texts';

// Portugal and Brazil alike. "PIN" and not "código", "vem no fim" and not "está": ó and á would force UCS-2.
export const pt: LocaleTexts = {
  opening: '{name}: ',
  plain: {
    login: '{app}[PIN] é o seu PIN de acesso. Expira em {min} min. Nunca o revele.',
    'step-up': '{app}[PIN] é o seu PIN para confirmar. Expira em {min} min. Nunca o revele.',
    transaction: '{app}[PIN] é o seu PIN para pagar {amount} a {payee}. Expira em {min} min. Nunca o revele.',
    enrol: '{app}[PIN] é o seu PIN para validar este telefone. Expira em {min} min. Nunca o revele.',
    'short-transaction': '{app}[PIN]: {amount} a {payee}',
  },
  bound: {
    login: '{app}O seu PIN de acesso vem no fim. Expira em {min} min. Nunca o revele.',
    'step-up': '{app}O seu PIN para confirmar vem no fim. Expira em {min} min. Nunca o revele.',
    transaction: '{app}O seu PIN para pagar {amount} a {payee} vem no fim. Nunca o revele.',
    enrol: '{app}O seu PIN para validar este telefone vem no fim. Expira em {min} min. Nunca o revele.',
    'short-transaction': '{amount} a {payee}',
  },
};
