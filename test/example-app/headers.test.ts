import { describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { useSharedSite } from './site';

const PRODUCTION = {
  NODE_ENV: 'production',
  SESSION_SECRET: 'a-secret-of-more-than-32-characters',
  SMS_OTP_SECRET: 'another-secret-of-more-than-32-characters',
  SMS_OTP_BASE_URL: 'https://gateway.example',
  SMS_OTP_USERNAME: 'user',
  SMS_OTP_PASSWORD: 'password',
  TRUST_PROXY: '1',
};

describe('the headers of the example app', () => {
  const development = useSharedSite();
  const production = useSharedSite({ environment: PRODUCTION });

  it.each(['/', '/login', '/account', '/no-such-page'])(
    'keep %s out of caches, frames and referrers',
    async (path) => {
      const { headers } = await request(development.app).get(path);
      expect(headers['cache-control']).toBe('no-store');
      expect(headers['referrer-policy']).toBe('same-origin');
      expect(headers['x-frame-options']).toBe('DENY');
      expect(headers['content-security-policy']).toBe(
        "default-src 'none';script-src 'self';style-src 'self';img-src 'self';connect-src 'self';" +
          "form-action 'self';frame-ancestors 'none';base-uri 'none'",
      );
      expect(headers['x-powered-by']).toBeUndefined();
      expect(headers['strict-transport-security']).toBeUndefined();
    },
  );

  it('hide the session cookie from scripts and from other sites', async () => {
    const { headers } = await request(development.app).get('/login');
    expect(String(headers['set-cookie'])).toMatch(
      /^harbour=[^;]+; Path=\/; HttpOnly; SameSite=Lax$/,
    );
  });

  it('bind the cookie to this host and to https in production', async () => {
    const { headers } = await request(production.app)
      .get('/login')
      .set('X-Forwarded-Proto', 'https');
    expect(String(headers['set-cookie'])).toMatch(
      /^__Host-harbour=[^;]+; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    );
    expect(headers['strict-transport-security']).toContain('max-age=');
  });

  it('give nobody a cookie over plain http in production', async () => {
    expect((await request(production.app).get('/login')).headers['set-cookie']).toBeUndefined();
  });

  it('need nothing inline', async () => {
    for (const path of ['/', '/login', '/no-such-page']) {
      const { text } = await request(development.app).get(path);
      expect(text).toContain('<!doctype html>');
      expect(text).not.toMatch(/<script>|<style|style="| on[a-z]+="/);
    }
  });
});
