import type { ListedChore } from '../../kernel/chores/chore.ts'
import { listChores, type Counts } from '../../kernel/chores/chore.ts'
import { runChore } from '../../kernel/chores/run-chore.ts'
import { runActivity } from '../../kernel/run-activity.ts'
import { SWEEPS } from '../housekeeping/sweeps.ts'
import { RECONCILE_CHORES, type ReconcileAllDeps } from './chores.ts'
import { reconcileInTurn, sweepInTurn } from './earlier.ts'

/** The activities behind the schedules. Each inspects the state and does missing work, so repeating it is safe. */
export const createReconcileActivities = (deps: ReconcileAllDeps) => ({
  listFamilies: async (): Promise<readonly ListedChore[]> => listChores(RECONCILE_CHORES),
  reconcileFamily: (name: string): Promise<Counts> => runChore(deps, RECONCILE_CHORES, name),
  listSweeps: async (): Promise<readonly ListedChore[]> => listChores(SWEEPS),
  sweep: (name: string): Promise<Counts> => runChore(deps, SWEEPS, name),
  reconcileJobs: (): Promise<Counts> => runActivity(deps.log, (activity) => reconcileInTurn(deps, activity)),
  sweepExpired: (): Promise<Counts> => runActivity(deps.log, (activity) => sweepInTurn(deps, activity)),
})

/** The activities behind the schedules, as their workflows see them. */
export type ReconcileActivities = ReturnType<typeof createReconcileActivities>
