import type { Route } from '../services.ts'
import { deprecatedLoginRoute, deprecatedSignUpRoute } from './deprecated.ts'
import { bootstrapRoute, claimRoute } from './anonymous.ts'
import { confirmEmailRoute, startEmailRoute, verifyEmailRoute } from './email.ts'
import { shortCallbackRoute, shortStartRoute } from './oauth-aliases.ts'
import { finishOAuthRoute, listProvidersRoute, startOAuthRoute } from './oauth.ts'
import { listSessionsRoute, revokeSessionRoute } from './session-list.ts'
import { closeSessionRoute, openSessionRoute, signInRoute } from './sessions.ts'
import { findSessionRoute } from './session.ts'
import { signUpRoute } from './signup.ts'
import { whoAmIRoute } from './whoami.ts'

/** The routes of sign-up, sign-in, sign-out and identity. Fixed paths come before those with parameters. */
export const IDENTITY_ROUTES: readonly Route[] = [
  whoAmIRoute,
  signUpRoute,
  signInRoute,
  openSessionRoute,
  closeSessionRoute,
  findSessionRoute,
  deprecatedLoginRoute,
  deprecatedSignUpRoute,
  startEmailRoute,
  confirmEmailRoute,
  verifyEmailRoute,
  listSessionsRoute,
  revokeSessionRoute,
  bootstrapRoute,
  claimRoute,
  listProvidersRoute,
  startOAuthRoute,
  finishOAuthRoute,
  shortStartRoute,
  shortCallbackRoute,
]
