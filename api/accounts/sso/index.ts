import type { Route } from '../services.ts'
import { configureSsoRoute, getSsoStatusRoute, rotateScimTokenRoute } from './configure.ts'
import { consumeAssertionRoute, getSamlMetadataRoute } from './saml.ts'
import { finishSsoRoute, startSsoRoute } from './start.ts'

/** The routes of sign-in through an organisation's identity provider. Fixed paths come before those with parameters. */
export const SSO_ROUTES: readonly Route[] = [
  configureSsoRoute,
  getSsoStatusRoute,
  rotateScimTokenRoute,
  getSamlMetadataRoute,
  consumeAssertionRoute,
  finishSsoRoute,
  startSsoRoute,
]
