import type { Route } from '../services.ts'
import { configureSsoRoute, getSsoStatusRoute, rotateScimTokenRoute } from './configure.ts'
import { consumeAssertionRoute, getSamlMetadataRoute } from './saml.ts'
import { finishSsoRoute, startSsoRoute } from './start.ts'

/** Signing in through an organisation's own identity provider. Fixed paths before those with parameters. */
export const SSO_ROUTES: readonly Route[] = [
  configureSsoRoute,
  getSsoStatusRoute,
  rotateScimTokenRoute,
  getSamlMetadataRoute,
  consumeAssertionRoute,
  finishSsoRoute,
  startSsoRoute,
]
