import type { ErrorCode } from '../../core/overview/errors.ts'
import type { Limits } from '../../core/overview/limits.ts'
import type { Scope } from '../../core/overview/scopes.ts'
import type { ServiceCounts } from '../../db/overview/across/counts/service-counts.ts'
import type { EvidenceServices, EvidenceSettings } from '../evidence/services.ts'
import { routesOf, type RouteOf } from '../kernel/route.ts'
import type { ApiMetrics } from './health/facts/metrics.ts'

/** All that an operator chose for the API. */
export interface OverviewSettings extends EvidenceSettings {
  readonly region: string
  readonly version: string
  readonly git: string
  readonly metricsToken: string | undefined
  /** True when `/metrics` answers all callers without a token; otherwise it then answers this machine only. */
  readonly areMetricsPublic?: boolean
  readonly masterKey: Buffer
  /** Master keys used before, which still open what was sealed under them. */
  readonly oldMasterKeys: readonly Buffer[]
}

/** All services of the API: the highest area sees every slice. */
export interface OverviewServices extends EvidenceServices {
  readonly settings: OverviewSettings
  readonly limits: Limits
  readonly metrics: ApiMetrics
  readonly counts: ServiceCounts
}

/** Declares a route whose handler sees this slice, and codes, limits and scopes of this area and those below. */
export const defineRoute = routesOf<OverviewServices, ErrorCode, Scope>()
/** A route of this area. */
export type Route = RouteOf<OverviewServices>
