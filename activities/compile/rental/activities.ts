import type { JobRef } from '../compile/results.ts'
import type { RentalDeps } from './deps.ts'
import { fetchAdapter } from './fetch-adapter.ts'
import { findPoolLease } from './find-pool-lease.ts'
import { rentMachine, reserveMachine, type RentalRef } from './rent-machine.ts'
import { endMachines, tearDown, type RentalEnd } from './tear-down.ts'
import { watchMachine, type LeaseRef } from './watch-machine.ts'

/** The activities of a rental. All are safe to repeat: orders have names, and the rows say what is known of each. */
export const createRentalActivities = (deps: RentalDeps) => ({
  reserveMachine: (ref: RentalRef) => reserveMachine(deps, ref),
  findPoolLease: (ref: JobRef) => findPoolLease(deps, ref),
  rentMachine: (ref: JobRef) => rentMachine(deps, ref),
  watchMachine: (ref: LeaseRef) => watchMachine(deps, ref),
  fetchAdapter: (ref: LeaseRef) => fetchAdapter(deps, ref),
  endMachines: (ref: JobRef) => endMachines(deps, ref),
  tearDown: (end: RentalEnd) => tearDown(deps, end),
})

/** The activities of a rental, as their workflow sees them. */
export type RentalActivities = ReturnType<typeof createRentalActivities>
