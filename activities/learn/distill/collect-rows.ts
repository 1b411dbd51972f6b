import { setTimeout as sleep } from 'node:timers/promises'
import { ERROR_CODES, isErrorCode } from '../../../core/errors.ts'
import type { DistillRequest } from '../../../core/learn/distill/request.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { createVersion } from '../../../db/learn/datasets/create-version.ts'
import { findVersion } from '../../../db/learn/datasets/find-dataset.ts'
import { beginRunStage } from '../../../db/learn/distill/advance-run.ts'
import { findRun } from '../../../db/learn/distill/find-run.ts'
import { runActivity } from '../../kernel/run-activity.ts'
import { operationOf, type DistillDeps, type RunRef } from './deps.ts'

/** Interval between two looks at a version that is being built, milliseconds. */
const LOOK_EVERY_MS = 500
/**
 * Makes the dataset of a run of what it asks for, and waits until it is built. Safe to repeat: the version is found again by the id of the
 * run. Throws the code of a build that failed.
 */
export async function collectRows(deps: DistillDeps, ref: RunRef): Promise<{ readonly rows: number }> {
  return await runActivity(deps.log, async (activity) => {
    const op = operationOf(deps, ref)
    const run = await findRun(op, ref.runId)
    await beginRunStage(op, ref.runId, 'collect')
    const made = await makeVersion(deps, op, { runId: ref.runId, namespace: run.namespace, request: run.request })
    await deps.workflows.start(`${made.datasetId}/v${made.version}`)
    for (;;) {
      activity.signal.throwIfAborted()
      const version = await findVersion(op, made.datasetId, made.version)
      if (version.state === 'ready') {
        const { rowCount: rows, trainCount: train, holdoutCount: held } = version
        await beginRunStage(op, ref.runId, 'collect', {
          counts: { rows, train, held_out: held },
          dataset: { id: made.datasetId, version: made.version },
        })
        return { rows }
      }
      if (version.state === 'failed') {
        const code = version.errorCode
        throw ERROR_CODES[isErrorCode(code) ? code : 'dataset_failed'](
          version.errorMessage ?? 'the dataset was not built',
        )
      }
      activity.note({ step: 'collect', done: version.rowCount })
      await sleep(LOOK_EVERY_MS, undefined, { signal: activity.signal })
    }
  })
}

interface Asked {
  readonly runId: string
  readonly namespace: string
  readonly request: DistillRequest
}

/** Makes the version of a run, or finds the one that it names. */
async function makeVersion(
  { limits }: DistillDeps,
  op: Operation,
  { runId, namespace, request }: Asked,
): Promise<{ readonly datasetId: string; readonly version: number }> {
  const given = request.kind === 'preference' ? request.pairs : request.kind === 'onpolicy' ? request.rows : null
  if (given?.from === 'dataset') return { datasetId: given.dataset_id, version: given.version }
  const taken =
    request.kind === 'from_captures' || request.kind === 'cloud' ? request : given?.from === 'review' ? given : null
  const window = request.kind === 'cloud' ? { from: request.capture_from, to: request.capture_to } : {}
  const captures = taken && { statuses: taken.statuses, ids: taken.capture_ids, most: taken.most, ...window }
  return await createVersion(op, {
    of: { namespace, name: `distill ${runId}` },
    source: { kind: captures === null ? 'import' : 'captures', captures, removed: [] },
    split: { train_ratio: request.train_ratio, min_train: 0, min_holdout: 0, seed: null, is_strict: false },
    files: given?.from === 'workspace' ? [{ name: given.path, staged: null }] : [],
    limits,
    idempotency: { route: 'distill', key: runId, credential: 'run', bodyHash: runId },
  })
}
