import { DEFAULT_LIMITS } from '../../../core/limits.ts'
import { CHARGED_TO_NOBODY } from '../../../db/billing/usage/charged-to.ts'
import { createBakeoff } from '../../../db/learn/bakeoffs/create-bakeoff.ts'
import { createMeasurement } from '../../../db/learn/bench/measurements.ts'
import type { Operation } from '../../../db/kernel/operation.ts'

/** Accepts a bake-off of the cache on a dataset that is not there. Returns its id. */
export async function givenBakeoff(op: Operation, namespace = 'default'): Promise<string> {
  return await createBakeoff(op, {
    namespace,
    datasetId: 'ds_00000000000000000000000000',
    datasetVersion: 1,
    merkleRoot: '',
    definition: {
      contestants: [{ name: 'cache', kind: 'cache' }],
      options: {
        comparator: 'exact',
        margin: 0.05,
        rows: 10,
        instruction: null,
        shots: 1,
        maxTokens: 8,
        judge: null,
        judgedRows: 1,
      },
      caller: { memberId: null, teamId: null },
    },
    rowCount: 1,
    trainCount: 1,
    chargedTo: CHARGED_TO_NOBODY,
    limits: DEFAULT_LIMITS,
  })
}

/** Accepts a measurement of an artifact. Returns its id. */
export async function givenMeasurement(op: Operation, artifactId: string, namespace = 'default'): Promise<string> {
  return await createMeasurement(op, {
    namespace,
    request: {
      target: { kind: 'artifact', artifactId, cid: 'cidv1:sha256:0' },
      model: artifactId,
      prompts: ['ada'],
      repeats: 1,
      warmUps: 0,
      maxTokens: 8,
      concurrency: [1],
      speculative: 'off',
    },
    limits: DEFAULT_LIMITS,
  })
}
