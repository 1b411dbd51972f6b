import type { Route } from '../kernel/route.ts'
import { accountRoutes } from './account/index.ts'
import { adminRoutes } from './admin/index.ts'
import {
  downloadArtifactRoute,
  findByCidRoute,
  getArtifactRoute,
  getEvidenceTraceRoute,
  listArtifactsRoute,
  verifyManifestRoute,
} from './artifacts.ts'
import { BILLING_ROUTES } from './billing/index.ts'
import { compileBuilderRoute, listBuildsRoute, listTemplatesRoute } from './build/builder.ts'
import { previewBuilderRoute, previewBuildRoute } from './build/previews.ts'
import { getStrategyCatalogRoute, getStrategyRoute, postStrategyRoute } from './build/strategy.ts'
import { createCompileRoute } from './compile/create.ts'
import { cancelCompileRoute, downloadCompileRoute, getCompileRoute, listCompilesRoute } from './compile/jobs.ts'
import {
  estimateFromBodyRoute,
  estimateFromQueryRoute,
  previewCompileRoute,
  startCompileRoute,
} from './compile/plan.ts'
import { streamCompileRoute } from './compile/stream.ts'
import { deleteConceptRoute, getConceptRoute, getLineageRoute, getStatsRoute, listConceptsRoute } from './concepts.ts'
import { CONTROL_ROUTES } from './control/index.ts'
import { createExportRoute, downloadExportRoute, getExportRoute, listExportsRoute } from './exports/jobs.ts'
import { planExportRoute } from './exports/plan.ts'
import { fitRoute } from './fit.ts'
import { healthRoutes } from './health/index.ts'
import { IDENTITY_ROUTES } from './identity/index.ts'
import { ORG_ROUTES } from './orgs/index.ts'
import { verifyReceiptRoute } from './receipts.ts'
import { exportRegistryRoute, getRegistryRoute } from './registry.ts'
import { runRoute } from './run.ts'
import { SHARE_ROUTES } from './share/index.ts'
import { SCIM_ROUTES } from './scim/index.ts'
import { SSO_ROUTES } from './sso/index.ts'
import { TEAM_ROUTES } from './teams/index.ts'
import { USAGE_ROUTES } from './usage/index.ts'
import { KEY_ROUTES } from './keys/index.ts'
import { listScopesRoute } from './keys/scopes.ts'

/**
 * Every route of the service. Binding, guard, reference page and contract tests come from this list. Of two that match
 * one path the first serves, so fixed paths stand before those with parameters; `run`, which is called most, leads.
 */
export const ROUTES: readonly Route[] = [
  runRoute,
  ...healthRoutes(() => ROUTES),
  ...IDENTITY_ROUTES,
  ...SSO_ROUTES,
  ...SCIM_ROUTES,
  listScopesRoute(() => ROUTES),
  ...KEY_ROUTES,
  ...CONTROL_ROUTES,
  ...accountRoutes(() => ROUTES),
  ...USAGE_ROUTES,
  ...TEAM_ROUTES,
  ...ORG_ROUTES,
  ...BILLING_ROUTES,
  createCompileRoute,
  listCompilesRoute,
  estimateFromQueryRoute,
  estimateFromBodyRoute,
  previewCompileRoute,
  startCompileRoute,
  streamCompileRoute,
  getCompileRoute,
  downloadCompileRoute,
  cancelCompileRoute,
  previewBuildRoute,
  listBuildsRoute,
  previewBuilderRoute,
  compileBuilderRoute,
  listTemplatesRoute,
  getStrategyRoute,
  postStrategyRoute,
  getStrategyCatalogRoute,
  listConceptsRoute,
  getConceptRoute,
  deleteConceptRoute,
  getLineageRoute,
  getStatsRoute,
  listArtifactsRoute,
  getArtifactRoute,
  downloadArtifactRoute,
  getEvidenceTraceRoute,
  findByCidRoute,
  verifyManifestRoute,
  planExportRoute,
  createExportRoute,
  listExportsRoute,
  getExportRoute,
  downloadExportRoute,
  fitRoute,
  verifyReceiptRoute,
  getRegistryRoute,
  exportRegistryRoute,
  ...SHARE_ROUTES,
  ...adminRoutes(() => ROUTES),
]
