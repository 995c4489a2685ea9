import express from 'express';
import session from 'express-session';
import passport from 'passport';
import { Strategy as LocalStrategy } from 'passport-local';
import { createSmsOtp } from 'passport-sms-otp';
import { GatewaySimulator } from 'passport-sms-otp/simulator';
import { walkThroughLogin } from './walk.cjs';

const steps = await walkThroughLogin({
  express,
  session,
  passport,
  LocalStrategy,
  createSmsOtp,
  GatewaySimulator,
});
console.log(JSON.stringify(steps));
