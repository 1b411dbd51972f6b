import { createBakeoffRoute, getBakeoffRoute, listBakeoffsRoute, runBakeoffRoute } from './bakeoffs/bakeoffs.ts'
import { getInferenceRoute, listInferenceRoute, measureInferenceRoute } from './bench/inference.ts'
import { autoSynthesizeRoute } from './bridges/auto-synthesize.ts'
import { deletePackRoute, getPackRoute, listPacksRoute, storePackRoute } from './bench/packs.ts'
import { getBenchRunRoute, runHumanEvalRoute, runMmluRoute, runMtBenchRoute } from './bench/runs.ts'
import { listObservationsRoute, updateObservationRoute } from './bridges/observations.ts'
import { getBrokerCatalogRoute, planComputeRoute } from './cloud/broker.ts'
import { listDeployTargetsRoute, planDeploymentRoute } from './cloud/deploy.ts'
import { cancelCloudJobRoute, getCloudJobRoute, getCloudMeterRoute, listCloudJobsRoute } from './cloud/jobs/jobs.ts'
import { listPoolsRoute, registerPoolRoute, removePoolRoute } from './cloud/jobs/pools.ts'
import { submitCloudJobRoute } from './cloud/jobs/submit.ts'
import { getReadinessOfCloudRoute, probeCloudRoute } from './cloud/readiness.ts'
import { distillFromCapturesRoute } from './distill/from-captures.ts'
import { previewCapturesRoute } from './distill/preview.ts'
import { getRunAdapterRoute } from './distill/adapter.ts'
import { distillPreferenceRoute } from './distill/preference.ts'
import { distillOnPolicyRoute } from './distill/onpolicy.ts'
import { cancelRunRoute, getRunRoute, listRunsRoute } from './distill/runs.ts'
import { streamRunRoute } from './distill/stream.ts'
import { getOnPolicyDoctorRoute, getPreferenceDoctorRoute } from './distill/doctors.ts'
import { getDistillCatalogRoute, getDistillStrategyRoute, postDistillStrategyRoute } from './distill/strategy.ts'
import { generateAdversarialRoute } from './eval/adversarial.ts'
import {
  getBenchmarkEvidenceRoute,
  getEvidenceTemplateRoute,
  validateEvidenceRoute,
} from './eval/benchmark-evidence.ts'
import { getKCalibrationRoute, getQualityCalibrationRoute } from './eval/calibrations.ts'
import { observeCallRoute } from './bridges/observe.ts'
import { listSpecialistCandidatesRoute } from './bridges/specialist-candidates.ts'
import { compareEvalsRoute } from './evals/compare.ts'
import { importEvalRoute } from './evals/import.ts'
import { getEvalLogRoute } from './evals/log.ts'
import { createEvalRoute, getEvalRoute, listEvalRowsRoute, listEvalsRoute, resumeEvalRoute } from './evals/evals.ts'
import { listSuggestionsRoute } from './bridges/suggestions.ts'
import { evalGateRoute, getGateRoute, listGatesRoute } from './gates/gate.ts'
import {
  deleteHoldoutRoute,
  getHoldoutRoute,
  listHoldoutRowsRoute,
  listHoldoutsRoute,
  revealHoldoutRoute,
} from './holdouts/holdouts.ts'
import { storeHoldoutRoute } from './holdouts/store.ts'
import { createDatasetRoute } from './datasets/create.ts'
import { exportDatasetRoute } from './datasets/export.ts'
import { importRoute } from './datasets/import.ts'
import { deleteDatasetRoute, getDatasetRoute, listDatasetsRoute } from './datasets/list.ts'
import { diffRoute, listRowsRoute } from './datasets/rows.ts'
import { splitRoute } from './datasets/split.ts'
import type { Route } from './services.ts'

/** The routes of datasets, evaluations, holdouts, gates, plans and calibrations, and of what is learned from traffic. */
export const LEARN_ROUTES: readonly Route[] = [
  observeCallRoute,
  listObservationsRoute,
  updateObservationRoute,
  listSuggestionsRoute,
  autoSynthesizeRoute,
  listSpecialistCandidatesRoute,
  createDatasetRoute,
  listDatasetsRoute,
  getDatasetRoute,
  deleteDatasetRoute,
  importRoute,
  splitRoute,
  listRowsRoute,
  diffRoute,
  exportDatasetRoute,
  createEvalRoute,
  importEvalRoute,
  listEvalsRoute,
  getEvalRoute,
  resumeEvalRoute,
  listEvalRowsRoute,
  compareEvalsRoute,
  getEvalLogRoute,
  storePackRoute,
  listPacksRoute,
  getPackRoute,
  deletePackRoute,
  runMmluRoute,
  runHumanEvalRoute,
  runMtBenchRoute,
  getBenchRunRoute,
  runBakeoffRoute,
  createBakeoffRoute,
  listBakeoffsRoute,
  getBakeoffRoute,
  measureInferenceRoute,
  listInferenceRoute,
  getInferenceRoute,
  getDistillStrategyRoute,
  postDistillStrategyRoute,
  getDistillCatalogRoute,
  getOnPolicyDoctorRoute,
  getPreferenceDoctorRoute,
  distillFromCapturesRoute,
  previewCapturesRoute,
  distillPreferenceRoute,
  distillOnPolicyRoute,
  listRunsRoute,
  getRunRoute,
  cancelRunRoute,
  streamRunRoute,
  getRunAdapterRoute,
  getBrokerCatalogRoute,
  planComputeRoute,
  listDeployTargetsRoute,
  planDeploymentRoute,
  getReadinessOfCloudRoute,
  probeCloudRoute,
  submitCloudJobRoute,
  listCloudJobsRoute,
  getCloudMeterRoute,
  getCloudJobRoute,
  cancelCloudJobRoute,
  registerPoolRoute,
  listPoolsRoute,
  removePoolRoute,
  getKCalibrationRoute,
  getQualityCalibrationRoute,
  getBenchmarkEvidenceRoute,
  getEvidenceTemplateRoute,
  validateEvidenceRoute,
  generateAdversarialRoute,
  evalGateRoute,
  getGateRoute,
  listGatesRoute,
  listHoldoutsRoute,
  storeHoldoutRoute,
  getHoldoutRoute,
  deleteHoldoutRoute,
  revealHoldoutRoute,
  listHoldoutRowsRoute,
]
