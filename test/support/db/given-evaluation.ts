import { DEFAULT_LIMITS } from '../../../core/limits.ts'
import { packSet, prepareSet } from '../../../core/learn/evals/thread/eval-tasks.ts'
import { createEvaluation } from '../../../db/learn/evals/create-evaluation.ts'
import type { Operation } from '../../../db/kernel/operation.ts'

/** A task whose rows an artifact that writes capitals answers. */
const TASK = 'task: capitals\ntest_split: test\ndoc_to_text: input\ndoc_to_target: output\n'

/** Accepts an evaluation of an artifact on one row. Returns its id. */
export async function givenEvaluation(op: Operation, artifactId: string, namespace = 'default'): Promise<string> {
  const options = { fewShots: null, limit: null, seed: 1, sliceBy: null, clusterBy: null }
  const splits = { test: [{ input: 'ada', output: 'ADA' }] }
  const { set, rows } = packSet(prepareSet({ files: { task: TASK }, splits, options }))
  const target = { kind: 'artifact' as const, artifactId, cid: 'cidv1:sha256:0' }
  const definition = { target, set, ...options }
  return await createEvaluation(op, { namespace, name: 'given', definition, rows, limits: DEFAULT_LIMITS })
}
