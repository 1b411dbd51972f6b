import { autoSynthesizeRoute } from './bridges/auto-synthesize.ts'
import { listObservationsRoute, updateObservationRoute } from './bridges/observations.ts'
import { getBrokerCatalogRoute, planComputeRoute } from './cloud/broker.ts'
import { listDeployTargetsRoute, planDeploymentRoute } from './cloud/deploy.ts'
import { getReadinessOfCloudRoute, probeCloudRoute } from './cloud/readiness.ts'
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
import { listSuggestionsRoute } from './bridges/suggestions.ts'
import type { Route } from './services.ts'

/** The routes of what is learned from traffic, of plans and of calibrations. */
export const LEARN_ROUTES: readonly Route[] = [
  observeCallRoute,
  listObservationsRoute,
  updateObservationRoute,
  listSuggestionsRoute,
  autoSynthesizeRoute,
  listSpecialistCandidatesRoute,
  getDistillStrategyRoute,
  postDistillStrategyRoute,
  getDistillCatalogRoute,
  getOnPolicyDoctorRoute,
  getPreferenceDoctorRoute,
  getBrokerCatalogRoute,
  planComputeRoute,
  listDeployTargetsRoute,
  planDeploymentRoute,
  getReadinessOfCloudRoute,
  probeCloudRoute,
  getKCalibrationRoute,
  getQualityCalibrationRoute,
  getBenchmarkEvidenceRoute,
  getEvidenceTemplateRoute,
  validateEvidenceRoute,
  generateAdversarialRoute,
]
