import type { Route } from '../services.ts'
import { openApiRoute } from '../openapi.ts'
import { getGatewayHealthRoute } from '../../gateway/gateway.ts'
import { getJwksRoute } from '../../ledger/jwks.ts'
import { getHealthRoute, getLivenessRoute } from './liveness.ts'
import { getExtendedMetricsRoute, getMetricsRoute } from './metrics.ts'
import { productReadinessRoute } from './product-readiness.ts'
import { getDeepReadinessRoute, getReadinessRoute } from './readiness.ts'

/** Probes, metrics, public keys, and the documents that are made from the list of all routes. */
export function healthRoutes(routes: () => readonly Route[]): readonly Route[] {
  return [
    getLivenessRoute,
    getReadinessRoute,
    getDeepReadinessRoute,
    getHealthRoute,
    getMetricsRoute,
    getExtendedMetricsRoute,
    getJwksRoute,
    getGatewayHealthRoute,
    openApiRoute(routes),
    productReadinessRoute(routes),
  ]
}
