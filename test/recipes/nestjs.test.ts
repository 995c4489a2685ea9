import 'reflect-metadata';
import { Controller, Get, Module, Next, Post, Req, Res, UseGuards } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AuthGuard } from '@nestjs/passport';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import passport from 'passport';
import { createApp } from '../../docs/recipes/nestjs-module';
import { wrongCode } from '../support/visit';
import { startRecipe, type RecipeSite } from './support/recipe-site';
import { passwordOf } from './support/recipe-users';

describe.each(['A', 'B'] as const)('the recipe for NestJS, variant %s', (variant) => {
  let site: RecipeSite;
  beforeAll(async () => {
    site = await startRecipe(variant, async (parts) => {
      const app = await createApp(parts);
      // Nest's own type of it is any: underneath is Express.
      return app.getHttpAdapter().getInstance() as never;
    });
  });
  afterAll(() => site.close());

  it('leads through both guards to the account', async () => {
    const agent = site.agent();
    expect((await agent.post('/login').send(passwordOf('alice'))).body).toMatchObject({ sent: true });
    expect((await agent.get('/account')).status).toBe(403);
    const wrong = await agent.post('/login/pin').send({ pin: wrongCode(site.code()) });
    expect([wrong.status, wrong.body]).toEqual([401, { error: 'invalid-code' }]);
    const right = await agent.post('/login/pin').send({ pin: site.code() });
    expect([right.status, right.body]).toMatchObject([
      200,
      { id: 'alice', authInfo: { amr: ['pwd', 'sms'] } },
    ]);
    expect((await agent.get('/account')).body).toEqual({ id: 'alice' });
  });
});
