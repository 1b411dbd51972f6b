import { autoSynthesizeRoute } from './bridges/auto-synthesize.ts'
import { listObservationsRoute, updateObservationRoute } from './bridges/observations.ts'
import { observeCallRoute } from './bridges/observe.ts'
import { listSpecialistCandidatesRoute } from './bridges/specialist-candidates.ts'
import { compareEvalsRoute } from './evals/compare.ts'
import { getEvalLogRoute } from './evals/log.ts'
import { createEvalRoute, getEvalRoute, listEvalRowsRoute, listEvalsRoute } from './evals/evals.ts'
import { listSuggestionsRoute } from './bridges/suggestions.ts'
import { createDatasetRoute } from './datasets/create.ts'
import { exportDatasetRoute } from './datasets/export.ts'
import { importRoute } from './datasets/import.ts'
import { deleteDatasetRoute, getDatasetRoute, listDatasetsRoute } from './datasets/list.ts'
import { diffRoute, listRowsRoute } from './datasets/rows.ts'
import { splitRoute } from './datasets/split.ts'
import type { Route } from './services.ts'

/** The routes of datasets, and of what is learned from traffic. */
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
  listEvalsRoute,
  getEvalRoute,
  listEvalRowsRoute,
  compareEvalsRoute,
  getEvalLogRoute,
]
