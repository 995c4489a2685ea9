'use strict';
const express = require('express');
const session = require('express-session');
const passport = require('passport');
const { Strategy: LocalStrategy } = require('passport-local');
const { createSmsOtp } = require('passport-sms-otp');
const { GatewaySimulator } = require('passport-sms-otp/simulator');
const { walkThroughLogin } = require('./walk.cjs');

walkThroughLogin({
  express,
  session,
  passport,
  LocalStrategy,
  createSmsOtp,
  GatewaySimulator,
}).then((steps) => console.log(JSON.stringify(steps)));
