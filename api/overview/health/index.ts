import type { Route } from '../services.ts'
import { openApiRoute } from '../openapi.ts'
import { getHealthRoute, getLivenessRoute } from './liveness.ts'
import { getExtendedMetricsRoute, getMetricsRoute } from './metrics.ts'
import { productReadinessRoute } from './product-readiness.ts'
import { getDeepReadinessRoute, getReadinessRoute } from './readiness.ts'

/** Probes, metrics, and the documents that are made from the list of all routes. */
export function healthRoutes(routes: () => readonly Route[]): readonly Route[] {
  return [
    getLivenessRoute,
    getReadinessRoute,
    getDeepReadinessRoute,
    getHealthRoute,
    getMetricsRoute,
    getExtendedMetricsRoute,
    openApiRoute(routes),
    productReadinessRoute(routes),
  ]
}
