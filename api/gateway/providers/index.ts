import type { Route } from '../services.ts'
import { getGatewayModeRoute, testConnectionRoute } from './connections.ts'
import { estimateCarbonRoute } from './carbon.ts'
import { listConnectorsRoute, notifyConnectorRoute } from './connectors.ts'
import { getDashboardRoute } from './dashboard.ts'
import { MODEL_ROUTES } from './models.ts'
import { changeProvidersRoute, listGatewayProvidersRoute } from './providers.ts'

/** The routes of providers and of a tenant's settings for them. */
export const PROVIDER_ROUTES: readonly Route[] = [
  listGatewayProvidersRoute,
  changeProvidersRoute,
  testConnectionRoute,
  getGatewayModeRoute,
  getDashboardRoute,
  listConnectorsRoute,
  notifyConnectorRoute,
  estimateCarbonRoute,
  ...MODEL_ROUTES,
]
