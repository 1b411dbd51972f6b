import { MACHINE_PROVIDERS, type MachineProviderId } from '../../../gateway/providers/machine-providers.ts'

/** A way to rent a machine with a GPU; each stands for one provider. */
export type Lane = MachineProviderId

/** All lanes, in the order in which they are shown. */
export const LANES: readonly Lane[] = MACHINE_PROVIDERS.map(({ id }) => id)

/** Returns true for the id of a lane. */
export function isLane(id: string): id is Lane {
  return LANES.some((lane) => lane === id)
}
