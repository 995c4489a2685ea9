import { describe, expect, it } from '@jest/globals';
import jwt from 'jsonwebtoken';
import { createApp } from '../../docs/recipes/jwt';
import { wrongCode } from '../support/visit';
import { useRecipe } from './support/recipe-site';
import { passwordOf } from './support/recipe-users';

const SECRET = 'the secret of the tokens, known to nobody else';
const ISSUED = { issuer: 'https://bank.example', audience: 'https://api.bank.example' };
const WITH_CODE = { amr: ['pwd', 'sms'] };

describe('the recipe for passport-jwt', () => {
  const site = useRecipe('B', (parts) => createApp({ ...parts, tokenSecret: SECRET }));

  async function statusWith(token: string): Promise<number> {
    return (await site.agent().get('/api/account').set('authorization', `Bearer ${token}`)).status;
  }

  async function logIn(id: string): Promise<string> {
    const agent = site.agent();
    await agent.post('/login').send(passwordOf(id));
    return (await agent.post('/login/pin').send({ pin: site.code(id) })).body.token as string;
  }

  function make(claims: object, options: jwt.SignOptions = {}): string {
    return jwt.sign(claims, SECRET, { ...ISSUED, subject: 'alice', expiresIn: 60, ...options });
  }

  it('gives a token after the right code, and the token opens the API', async () => {
    const agent = site.agent();
    await agent.post('/login').send(passwordOf('alice'));
    const wrong = await agent.post('/login/pin').send({ pin: wrongCode(site.code()) });
    expect([wrong.status, wrong.body]).toEqual([401, { error: 'invalid-code' }]);
    const right = await agent.post('/login/pin').send({ pin: site.code() });
    expect(right.body).toEqual({ token: expect.any(String), expiresInSeconds: 300 });
    const answer = await site
      .agent()
      .get('/api/account')
      .set('authorization', `Bearer ${right.body.token}`);
    expect([answer.status, answer.body]).toEqual([200, { id: 'alice' }]);
  });

  it('says in the token how the user has logged in, and that it ends after five minutes', async () => {
    const claims = jwt.decode(await logIn('bob')) as jwt.JwtPayload;
    expect(claims).toMatchObject({
      sub: 'bob',
      amr: ['pwd', 'sms'],
      iss: ISSUED.issuer,
      aud: ISSUED.audience,
    });
    expect(Number(claims.exp) - Number(claims.iat)).toBe(300);
  });

  it('gives no token after the password alone, and none for a code twice', async () => {
    const agent = site.agent();
    const password = await agent.post('/login').send(passwordOf('carol'));
    expect(JSON.stringify(password.body)).not.toMatch(/token|eyJ/);
    expect((await agent.get('/api/account')).status).toBe(401);
    const pin = site.code('carol');
    expect((await agent.post('/login/pin').send({ pin })).status).toBe(200);
    const again = await agent.post('/login/pin').send({ pin });
    expect([again.status, again.body.token]).toEqual([401, undefined]);
  });

  it('opens nothing by the session of the login', async () => {
    const agent = site.agent();
    await agent.post('/login').send(passwordOf('dave'));
    await agent.post('/login/pin').send({ pin: site.code('dave') });
    expect((await agent.get('/api/account')).status).toBe(401);
  });

  it('opens with a token made like its own', async () => {
    expect(await statusWith(make(WITH_CODE))).toBe(200);
  });

  it.each([
    ['made after the password alone', () => make({ amr: ['pwd'] })],
    ['without amr', () => make({})],
    ['with an amr that is a text', () => make({ amr: 'sms' })],
    ['for another audience', () => make(WITH_CODE, { audience: 'https://mail.bank.example' })],
    ['of another issuer', () => make(WITH_CODE, { issuer: 'https://evil.example' })],
    ['that has ended', () => make(WITH_CODE, { expiresIn: -1 })],
    ['for nobody', () => make(WITH_CODE, { subject: 'mallory' })],
    [
      'signed with another key',
      () => jwt.sign(WITH_CODE, 'guess', { ...ISSUED, subject: 'alice' }),
    ],
    [
      'not signed at all',
      () => jwt.sign(WITH_CODE, '', { ...ISSUED, subject: 'alice', algorithm: 'none' }),
    ],
    ['signed with another algorithm', () => make(WITH_CODE, { algorithm: 'HS512' })],
  ])('refuses a token %s', async (_title, forge) => {
    expect(await statusWith(forge())).toBe(401);
  });

  it('refuses the token of a user who is gone', async () => {
    const token = make(WITH_CODE, { subject: 'bob' });
    site.users.gone.add('bob');
    expect(await statusWith(token)).toBe(401);
    site.users.gone.delete('bob');
    expect(await statusWith(token)).toBe(200);
  });
});
