import { findBakeoff } from '../../../../db/learn/bakeoffs/find-bakeoff.ts'
import { findMeasurement } from '../../../../db/learn/bench/measurements.ts'
import { givenBakeoff, givenMeasurement } from '../../db/given-bakeoff.ts'
import { givenProgramArtifact } from '../../archives/signed-artifacts.ts'
import { tenantOf, type Family } from './family.ts'

/** Bake-offs and measurements of inference. */
export const MEASURING_FAMILIES = {
  bakeoff: {
    // Its dataset is not there, so its contestant fails, and the bake-off ends without it.
    ends: { cancelled: 'failed', terminated: 'failed', lost: 'succeeded' },
    async given(stage) {
      const { op } = await tenantOf(stage)
      const id = await givenBakeoff(op)
      await stage.start(id)
      return { workflowId: id, state: async () => (await findBakeoff(op, id)).state }
    },
  },
  inference: {
    ends: { cancelled: 'failed', terminated: 'failed', lost: 'succeeded' },
    async given(stage) {
      const { op } = await tenantOf(stage)
      const id = await givenMeasurement(op, await givenProgramArtifact(op))
      await stage.start(id)
      return { workflowId: id, state: async () => (await findMeasurement(op, id)).state }
    },
  },
} satisfies Readonly<Record<string, Family>>
