import { describe, expect, it } from '@jest/globals';
import type { Answer } from '../checks/app/answer';
import { type KnownPage, Refusals } from '../checks/app/refusals';
import type { AppDescription, GuardedPage } from 'passport-sms-otp/testing';

const ORIGIN = 'http://127.0.0.1:3000';
const APP = {
  login: { path: '/login' },
  code: { path: '/code' },
  stepUp: { path: '/step-up' },
} as unknown as AppDescription;

/** Such as `303 /login`, or `200 Hello`. */
function answerOf(text: string): Answer {
  const [, status, rest = ''] = /^(\d+) ?(.*)$/.exec(text) ?? [];
  const location = rest.startsWith('/') || rest.startsWith('http') ? rest : null;
  return { status: Number(status), headers: {}, body: rest, location };
}

function know(page: GuardedPage, stranger: string, waiting: string, member: string): KnownPage {
  const answers = {
    stranger: answerOf(stranger),
    waiting: answerOf(waiting),
    member: answerOf(member),
  };
  return { page, ...answers, origin: ORIGIN };
}

const GET: GuardedPage = { path: '/account' };
const POST: GuardedPage = { path: '/account', method: 'POST' };
const SHOWS: GuardedPage = { path: '/account', shows: 'Hello' };

describe('an answer opens a guarded request', () => {
  it.each([
    ['a page', GET, ['303 /login', '303 /login', '200'], '200', true],
    ['a page, to a stranger', GET, ['303 /login', '303 /login', '200'], '303 /login', false],
    ['a page, led elsewhere', GET, ['303 /login', '303 /login', '200'], '303 /locked', false],
    ['a page that strangers see too', GET, ['200', '200', '200'], '200', true],
    ['a login page with 200', POST, ['200', '200', '303 /account'], '200', false],
    ['a text that only the page has', SHOWS, ['200 Hi', '200 Hi', '200 Hello'], '200 Hello', true],
    ['another text', SHOWS, ['200 Hi', '200 Hi', '200 Hello'], '200 Hi', false],
    ['a form', POST, ['303 /login', '303 /code', '303 /account'], '303 /account?saved=1', true],
    [
      'a form, to one who waits',
      POST,
      ['303 /login', '303 /who', '303 /account'],
      '303 /who',
      false,
    ],
    [
      'a form, each time elsewhere',
      POST,
      ['303 /login', '303 /code', '303 /a/1'],
      '303 /a/2',
      true,
    ],
    [
      'a form, led to the step-up',
      POST,
      ['303 /login', '303 /code', '303 /a'],
      '303 /step-up',
      false,
    ],
    [
      'a form, led away',
      POST,
      ['303 /login', '303 /code', '303 /a'],
      '303 https://a.example/',
      false,
    ],
    [
      'a form open to all',
      POST,
      ['303 /account', '303 /account', '303 /account'],
      '303 /account',
      true,
    ],
    ['a record that is missing', POST, ['401', '401', '404'], '404', true],
    ['a guard of another kind', POST, ['401', '403', '204'], '403', false],
    ['a failure', POST, ['401', '401', '204'], '500', false],
  ] as const)('%s', (_title, page, [stranger, waiting, member], text, isOpen) => {
    const refusals = new Refusals(APP, [know(page, stranger, waiting, member)]);
    expect(refusals.isOpen(page, answerOf(text), ORIGIN)).toBe(isOpen);
  });
});

describe('a page stays closed after the right code', () => {
  it.each([
    ['a page', GET, ['303 /login', '303 /login', '200'], false],
    ['a page that the code does not open', GET, ['303 /login', '303 /code', '303 /login'], true],
    ['a page that leads to the step-up', GET, ['303 /login', '303 /code', '303 /step-up'], true],
    ['a page of other users', GET, ['401', '401', '403'], true],
    ['a page without its text', SHOWS, ['303 /login', '303 /login', '200 Hi'], true],
    ['a form', POST, ['303 /login', '303 /code', '303 /account'], false],
    ['a form open to all', POST, ['303 /account', '303 /account', '303 /account'], false],
    ['a form that leads back to the login', POST, ['303 /login', '303 /code', '303 /login'], true],
    ['a form without its token', POST, ['400', '400', '400'], true],
    ['a failure', POST, ['401', '401', '500'], true],
  ] as const)('%s', (_title, page, [stranger, waiting, member], isClosed) => {
    const known = know(page, stranger, waiting, member);
    expect(new Refusals(APP, [known]).staysClosed(known)).toBe(isClosed);
  });
});

describe('a guarded request is refused', () => {
  it.each([
    ['to a stranger', ['401', '401', '204'], '401', true],
    ['for now', ['401', '401', '204'], '429', true],
    ['by a failure', ['401', '401', '204'], '503', true],
    ['not by a record that was deleted before', ['401', '401', '204'], '404', false],
    ['not where it is open', ['401', '401', '204'], '204', false],
  ] as const)('%s', (_title, [stranger, waiting, member], text, isRefused) => {
    const refusals = new Refusals(APP, [know(POST, stranger, waiting, member)]);
    expect(refusals.isRefused(POST, answerOf(text), ORIGIN)).toBe(isRefused);
  });
});
