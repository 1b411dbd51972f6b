import { MACHINE_PROVIDERS, type MachineProviderId } from '../../../gateway/providers/machine-providers.ts'

/** A way to rent a machine with a GPU, from one provider. */
export type Lane = MachineProviderId

/** All lanes, in the order in which they are shown. */
export const LANES: readonly Lane[] = MACHINE_PROVIDERS.map(({ id }) => id)

/** A fit that waits for a worker of the tenant's own pool. */
const POOL = 'pool'

/** The place where a fit finds its machine at the trainer door: a lane, or the tenant's own pool. */
export type FitLane = Lane | typeof POOL

/** All of them, the lanes first. */
export const FIT_LANES: readonly FitLane[] = [...LANES, POOL]

/** Returns true for the id of a lane. */
export function isLane(id: string): id is Lane {
  return LANES.some((lane) => lane === id)
}
