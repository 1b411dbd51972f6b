import {
  downloadArtifactRoute,
  findByCidRoute,
  getArtifactRoute,
  getEvidenceTraceRoute,
  listArtifactsRoute,
  verifyManifestRoute,
} from './artifacts/artifacts.ts'
import { diagnoseRoute, getDiagnosisRoute } from './artifacts/diagnosis/diagnose.ts'
import { findFailureModesRoute, getFailureModesRoute } from './artifacts/diagnosis/failure-modes.ts'
import { feedActiveLearningRoute } from './artifacts/diagnosis/feed.ts'
import { buildCapabilityRoute, validateCapabilityRoute } from './artifacts/capability.ts'
import { getCredentialRoute, verifyCredentialRoute } from './artifacts/credential.ts'
import { getArtifactCodeRoute, getArtifactRecipeRoute } from './artifacts/code.ts'
import { getLifecycleRoute, moveArtifactRoute } from './artifacts/life.ts'
import { resolveCidRoute } from './artifacts/lineage/cid.ts'
import { diffArtifactsRoute } from './artifacts/lineage/diff.ts'
import { dependencyGraphRoute } from './artifacts/lineage/graph.ts'
import { traceLineageRoute } from './artifacts/lineage/lineage.ts'
import { getRevocationsRoute } from './artifacts/revocations.ts'
import { deleteDocumentRoute, listDocumentsRoute } from './documents/documents.ts'
import { embedRoute, getIndexRoute } from './documents/embed.ts'
import { recallRoute } from './documents/recall.ts'
import { compileBuilderRoute, listBuildsRoute, listTemplatesRoute } from './build/builder.ts'
import { previewBuilderRoute, previewBuildRoute } from './build/previews.ts'
import { getStrategyCatalogRoute, getStrategyRoute, postStrategyRoute } from './build/strategy.ts'
import { acceptCompileRoute } from './jobs/accept.ts'
import { compileAgainRoute } from './jobs/again.ts'
import { answerQuestionRoute } from './jobs/answers.ts'
import { compileOnCloudRoute } from './rentals/cloud.ts'
import { sendFileRoute } from './rentals/door-files.ts'
import {
  failLeaseRoute,
  finishLeaseRoute,
  openLeaseRoute,
  readCheckpointRoute,
  readDocumentRoute,
  reportProgressRoute,
} from './rentals/door.ts'
import { leaseFitRoute } from './rentals/pool-door.ts'
import { createCompileRoute } from './jobs/create.ts'
import { cancelCompileRoute, downloadCompileRoute, getCompileRoute, listCompilesRoute } from './jobs/jobs.ts'
import { estimateFromBodyRoute, estimateFromQueryRoute, startCompileRoute } from './jobs/plan.ts'
import { previewCompileRoute } from './jobs/preview.ts'
import { listRowsRoute } from './jobs/rows.ts'
import { streamCompileRoute } from './jobs/stream.ts'
import {
  deleteConceptRoute,
  getConceptRoute,
  getLineageRoute,
  getStatsRoute,
  listConceptsRoute,
} from './artifacts/concepts.ts'
import { createExportRoute, downloadExportRoute, getExportRoute, listExportsRoute } from './exports/jobs.ts'
import { planExportRoute } from './exports/plan.ts'
import { fitRoute } from './fit.ts'
import { exportRegistryRoute, getRegistryRoute } from './artifacts/registry.ts'
import { analyzeExpertsRoute } from './run/experts.ts'
import { getBatchRoute, runBatchRoute } from './run/batch/route.ts'
import { composeRoute } from './run/compose/route.ts'
import { runRoute } from './run/route.ts'
import { verifiedRoute } from './run/verified/route.ts'
import { SHARE_ROUTES } from './share/index.ts'
import type { Route } from './services.ts'

/** The routes of compiles, artifacts and runs; `run`, which is called most, leads. */
export const COMPILE_ROUTES: readonly Route[] = [
  runRoute,
  runBatchRoute,
  getBatchRoute,
  embedRoute,
  getIndexRoute,
  recallRoute,
  listDocumentsRoute,
  deleteDocumentRoute,
  verifiedRoute,
  composeRoute,
  createCompileRoute,
  compileOnCloudRoute,
  openLeaseRoute,
  leaseFitRoute,
  readDocumentRoute,
  readCheckpointRoute,
  reportProgressRoute,
  sendFileRoute,
  finishLeaseRoute,
  failLeaseRoute,
  listCompilesRoute,
  estimateFromQueryRoute,
  estimateFromBodyRoute,
  previewCompileRoute,
  startCompileRoute,
  streamCompileRoute,
  getCompileRoute,
  listRowsRoute,
  downloadCompileRoute,
  cancelCompileRoute,
  acceptCompileRoute,
  compileAgainRoute,
  answerQuestionRoute,
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
  getArtifactCodeRoute,
  getArtifactRecipeRoute,
  getEvidenceTraceRoute,
  findByCidRoute,
  resolveCidRoute,
  dependencyGraphRoute,
  traceLineageRoute,
  diffArtifactsRoute,
  verifyManifestRoute,
  getLifecycleRoute,
  moveArtifactRoute,
  getRevocationsRoute,
  diagnoseRoute,
  getDiagnosisRoute,
  findFailureModesRoute,
  getFailureModesRoute,
  feedActiveLearningRoute,
  buildCapabilityRoute,
  validateCapabilityRoute,
  getCredentialRoute,
  verifyCredentialRoute,
  planExportRoute,
  createExportRoute,
  listExportsRoute,
  getExportRoute,
  downloadExportRoute,
  fitRoute,
  analyzeExpertsRoute,
  getRegistryRoute,
  exportRegistryRoute,
  ...SHARE_ROUTES,
]
