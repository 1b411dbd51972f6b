import type { Route } from '../kernel/route.ts'
import { getAccountRoute, listPlansRoute } from './accounts/account.ts'
import { closeSessionRoute, openSessionRoute, signInRoute } from './accounts/sessions.ts'
import { signUpRoute } from './accounts/signup.ts'
import {
  downloadArtifactRoute,
  findByCidRoute,
  getArtifactRoute,
  getEvidenceTraceRoute,
  listArtifactsRoute,
  verifyManifestRoute,
} from './artifacts.ts'
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
import { createExportRoute, downloadExportRoute, getExportRoute, listExportsRoute } from './exports/jobs.ts'
import { planExportRoute } from './exports/plan.ts'
import { fitRoute } from './fit.ts'
import { getHealthRoute, getJwksRoute, getLivenessRoute, getMetricsRoute, getReadinessRoute } from './health.ts'
import { openApiRoute } from './openapi.ts'
import { verifyReceiptRoute } from './receipts.ts'
import { exportRegistryRoute, getRegistryRoute } from './registry.ts'
import { runRoute } from './run.ts'

/**
 * Every route of the service. Binding, guard, reference page and contract tests come from this list. Of two that match
 * one path the first serves, so fixed paths stand before those with parameters; `run`, which is called most, leads.
 */
export const ROUTES: readonly Route[] = [
  runRoute,
  getLivenessRoute,
  getReadinessRoute,
  getHealthRoute,
  getMetricsRoute,
  getJwksRoute,
  openApiRoute(() => ROUTES),
  signUpRoute,
  signInRoute,
  openSessionRoute,
  closeSessionRoute,
  getAccountRoute,
  listPlansRoute,
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
]
