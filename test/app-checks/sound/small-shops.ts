import type { RequestHandler } from 'express';
import { readField } from '../support/base-app';
import { describeShop, type Plant } from '../planted/shop';
import { idOf, type SoundApp } from './parts';

const sound = (shop: Omit<Plant, 'hole' | 'title'>): SoundApp => {
  return (gateway) => describeShop(gateway, { title: 'sound', hole: null, ...shop });
};

/** A form that redirects to the page that it is on. */
export const formShop = sound({ shape: 'form' });

/** Each order has an address of its own, and a message says whether it was taken. */
export const orderShop = sound({
  shape: 'form',
  change: ({ routes, guard }) => {
    let orders = 16;
    routes['POST /orders'] = [
      guard,
      (req, res) => {
        if (readField(req, 'item') === '') return res.redirect(303, '/profile?empty');
        orders += 1;
        res.redirect(303, `/orders/${orders}`);
      },
    ];
    routes['POST /orders/16/cancel'] = [guard, (_req, res) => res.redirect(303, '/profile')];
  },
  describe: {
    guarded: [
      '/profile',
      { path: '/orders', method: 'POST', fields: { item: 'cup' } },
      { path: '/orders/16/cancel', method: 'POST' },
    ],
  },
});

/** A guard that leads those who have given the password to the page of the code. */
export const pathsShop = sound({
  shape: 'form',
  options: () => ({ paths: { login: '/login', code: '/code', home: '/profile' } }),
  change: ({ routes, smsOtp }) => {
    const guard = smsOtp.requireSecondFactor();
    routes['GET /profile'] = [guard, (req, res) => void res.send(`<h1>${idOf(req)}</h1>`)];
    routes['POST /profile'] = [guard, (_req, res) => res.redirect(303, '/profile')];
  },
});

/** Refuses strangers to the start page, and takes them to an error page after a bad form. */
export const errorPageShop = sound({
  shape: 'form',
  change: ({ routes, guard }) => {
    routes['GET /profile'] = [guard, (_req, res) => void res.send('<h1>You</h1>')];
    routes['POST /profile'] = [
      guard,
      (req, res) => res.redirect(303, readField(req, 'city') === '' ? '/profile/bad' : '/thanks'),
    ];
    routes['GET /profile/bad'] = [guard, (_req, res) => void res.send('<p>No city.</p>')];
    routes['GET /thanks'] = [(_req, res) => void res.send('<p>Thank you.</p>')];
  },
});

/** Answers everyone with 200, as GraphQL does: strangers get errors. */
export const graphShop = sound({
  shape: 'json',
  change: ({ routes, smsOtp }) => {
    const answer: RequestHandler = async (req, res) => {
      await smsOtp.checkSecondFactor(req);
      if (smsOtp.hasSecondFactor(req)) res.json({ data: { me: { id: idOf(req) } } });
      else res.json({ data: { me: null }, errors: [{ message: 'not allowed' }] });
    };
    routes['POST /graphql'] = [answer];
    routes['GET /graphql'] = [answer];
  },
  describe: {
    guarded: [
      '/api/orders',
      {
        path: '/graphql',
        method: 'POST',
        fields: { query: '{ me { id } }' },
        shows: '"me":{"id"',
      },
    ],
  },
});
