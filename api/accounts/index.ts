import type { Route as AnyRoute } from '../kernel/route.ts'
import { IDENTITY_ROUTES } from './identity/index.ts'
import { KEY_ROUTES } from './keys/index.ts'
import { listScopesRoute } from './keys/scopes.ts'
import { ORG_ROUTES } from './orgs/index.ts'
import { SCIM_ROUTES } from './scim/index.ts'
import type { Route } from './services.ts'
import { getSettingsRoute, updateSettingsRoute } from './settings.ts'
import { SSO_ROUTES } from './sso/index.ts'
import { TEAM_ROUTES } from './teams/index.ts'

/** Returns the routes of people, keys and sign-in. `routes` are all routes of the service, for the list of scopes. */
export function accountsRoutes(routes: () => readonly AnyRoute[]): readonly Route[] {
  return [
    ...IDENTITY_ROUTES,
    ...SSO_ROUTES,
    ...SCIM_ROUTES,
    listScopesRoute(routes),
    ...KEY_ROUTES,
    getSettingsRoute,
    updateSettingsRoute,
    ...TEAM_ROUTES,
    ...ORG_ROUTES,
  ]
}
