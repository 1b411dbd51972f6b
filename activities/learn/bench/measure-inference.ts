import { availableParallelism, cpus, totalmem } from 'node:os'
import { MEASURING } from '../../../core/compile/stages/pool/run-terms.ts'
import { RUNTIME_VERSION } from '../../../core/kernel/version.ts'
import { measureLevel, type LevelFigures } from '../../../core/learn/evals/inference/measure.ts'
import { signInferenceRow, type Hardware } from '../../../core/learn/evals/inference/signed-row.ts'
import { countCalls } from '../../../core/learn/evals/inference/inference.ts'
import { beginMeasurement, finishMeasurement } from '../../../db/learn/bench/measurements.ts'
import { inSlot } from '../../compute-slot.ts'
import { COMPUTE_STILL_MS, runActivity } from '../../kernel/run-activity.ts'
import { operationOf, type MeasurementDeps, type MeasurementRef } from './deps.ts'
import { withCalls } from './open-calls.ts'

/**
 * Measures each concurrency of a measurement in turn, and signs its row. Safe to repeat: an attempt that ended early left nothing, since
 * calls of two processes are no single figure.
 */
export async function measureInference(deps: MeasurementDeps, ref: MeasurementRef): Promise<void> {
  await runActivity(
    deps.log,
    async (activity) => {
      const op = operationOf(deps, ref)
      const request = await beginMeasurement(op, ref.measurementId)
      if (request === null) return
      const calls = request.prompts.length * request.repeats
      const { measured: total } = countCalls(request)
      await inSlot(deps, { ...MEASURING, work: ref }, activity, async (working, slot) => {
        const levels = await withCalls(deps, ref, request, working.signal, async (call) => {
          const done: LevelFigures[] = []
          const pauses = { isDue: () => slot.turnOver.aborted, pause: async () => await slot.nextTurn() }
          let counted = 0
          for (const concurrency of request.concurrency) {
            const level = { concurrency, calls, warmUps: request.warmUps }
            const onCall = (): void => working.note({ step: 'measure', done: ++counted, total })
            done.push(await measureLevel(call, level, { onCall, ...pauses }))
          }
          return done
        })
        const facts = {
          measurementId: ref.measurementId,
          request,
          levels,
          hardware: hardwareOf(),
          runtimeVersion: RUNTIME_VERSION,
          ranAt: deps.now(),
        }
        await finishMeasurement(op, ref.measurementId, { row: signInferenceRow(facts, deps.signer) })
      })
    },
    { stillMs: COMPUTE_STILL_MS },
  )
}

/** The machine as this process sees it. */
function hardwareOf(): Hardware {
  return {
    cpuModel: cpus()[0]?.model.trim() ?? 'unknown',
    cpus: availableParallelism(),
    memoryBytes: totalmem(),
    platform: process.platform,
    arch: process.arch,
    node: process.version,
  }
}
