import type { Scenario, Verb } from './scenarios';

/** What is done in the session of the first answer, and in that of the second one. */
const ONE_LOGIN: readonly (readonly [Verb, Verb])[] = [
  ['right', 'right'],
  ['right', 'wrong'],
  ['right', 'resend'],
  ['right', 'cancel'],
  ['resend', 'right'],
  ['resend', 'resend'],
  ['resend', 'cancel'],
  ['wrong', 'wrong'],
  ['cancel', 'right'],
  ['cancel', 'resend'],
  ['cancel', 'cancel'],
  ['logout', 'right'],
  ['right', 'logout'],
];

/** What is done twice in the session of the second answer, where that of the first is lost. */
const SECOND_ANSWER: readonly (readonly [Verb, Verb])[] = [
  ['right', 'right'],
  ['right', 'resend'],
  ['right', 'cancel'],
  ['resend', 'resend'],
  ['resend', 'cancel'],
];

/** A login form that was submitted twice, or is at this moment. */
export const JOINED: readonly Scenario[] = [
  { state: 'new', verbs: ['send', 'send'] },
  { state: 'new', verbs: ['send', 'stranger'] },
  ...SECOND_ANSWER.map((verbs): Scenario => ({ state: 'joined', verbs })),
  ...ONE_LOGIN.map(([here, there]): Scenario => ({
    state: 'pending',
    verbs: [here],
    beside: { who: 'browser', state: 'joined', verbs: [there] },
  })),
  {
    state: 'pending',
    verbs: ['guard'],
    beside: { who: 'browser', state: 'joined', verbs: ['resend', 'cancel'] },
  },
  ...(['right', 'resend'] as const).map((verb): Scenario => ({
    state: 'logged-in',
    verbs: ['revoke-all'],
    beside: { who: 'browser', state: 'joined', verbs: [verb] },
  })),
];

/** Both forms under way, and what each session does with its answer: bounded preemptions. */
export const JOINED_CHAINS: readonly Scenario[] = [
  ...(
    [
      ['wrong', undefined],
      ['right', 'right'],
      ['right', 'cancel'],
      ['cancel', 'right'],
      ['right', 'resend'],
      ['resend', 'right'],
    ] as const
  ).map(([here, there]): Scenario => ({
    state: 'new',
    verbs: ['send', here],
    isInTurn: true,
    beside: {
      who: 'browser',
      state: 'new',
      verbs: there === undefined ? ['send'] : ['send', there],
    },
  })),
  {
    state: 'new',
    verbs: ['send', 'send'],
    beside: { who: 'browser', state: 'logged-in', verbs: ['revoke-all'] },
  },
];
