import { Router } from 'express';
import { DEMO_PASSWORD } from '../users/demo-users';

export function homePages(): Router {
  const router = Router();
  router.get('/', (_req, res) => res.render('home', { demoPassword: DEMO_PASSWORD }));
  return router;
}
