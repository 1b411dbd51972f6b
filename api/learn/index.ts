import { autoSynthesizeRoute } from './bridges/auto-synthesize.ts'
import { listObservationsRoute, updateObservationRoute } from './bridges/observations.ts'
import { observeCallRoute } from './bridges/observe.ts'
import { listSpecialistCandidatesRoute } from './bridges/specialist-candidates.ts'
import { listSuggestionsRoute } from './bridges/suggestions.ts'
import { evalGateRoute, getGateRoute } from './gates/gate.ts'
import {
  deleteHoldoutRoute,
  getHoldoutRoute,
  listHoldoutRowsRoute,
  listHoldoutsRoute,
  revealHoldoutRoute,
} from './holdouts/holdouts.ts'
import { storeHoldoutRoute } from './holdouts/store.ts'
import type { Route } from './services.ts'

/** The routes of what is learned from traffic, of gates and of holdouts. */
export const LEARN_ROUTES: readonly Route[] = [
  observeCallRoute,
  listObservationsRoute,
  updateObservationRoute,
  listSuggestionsRoute,
  autoSynthesizeRoute,
  listSpecialistCandidatesRoute,
  evalGateRoute,
  getGateRoute,
  listHoldoutsRoute,
  storeHoldoutRoute,
  getHoldoutRoute,
  deleteHoldoutRoute,
  revealHoldoutRoute,
  listHoldoutRowsRoute,
]
