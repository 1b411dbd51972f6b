import { startCpuTime } from '../../clock/cpu-time.ts'
import type { KindInput } from '../sample-program.ts'

/** Ends a fit for which a dry run has no time left. */
export class OutOfTime extends Error {}

/**
 * Returns the checkpoint of a fit. Bounds of work end a fit of a compile; a dry run, which has little time for all kinds
 * together, also ends it by processor time, with `OutOfTime`.
 */
export function checkpointOf(
  { request, clock }: Pick<KindInput, 'request' | 'clock'>,
  cpuMs = startCpuTime(),
): () => void {
  if (request.allSearchesMs === undefined) return () => clock.checkpoint()
  return () => {
    clock.checkpoint()
    if (cpuMs() >= request.budgetMs) throw new OutOfTime()
  }
}
