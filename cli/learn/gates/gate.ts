import { findArtifactId } from '../../compile/artifact-id.ts'
import { writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { z } from 'zod'
import { newId } from '../../../core/kernel/ids.ts'
import { GateView } from '../../../core/learn/wire/gates.ts'
import { CliError, usageError } from '../../cli-error.ts'
import type { CliContext } from '../../context.ts'
import { EXIT } from '../../exit-codes.ts'
import { readRowsFile } from '../read-rows.ts'

/** Options of `svc eval gate`. */
export interface GateFlags {
  readonly holdout?: string
  readonly rows?: string
  readonly rowsOf?: string
  readonly minGain?: number
  readonly minAccuracy?: number
  readonly alpha?: number
  readonly planned?: number
  readonly namespace?: string
  readonly out?: string
}

const POLL_MS = 500

/** `svc eval gate`: waits for the decision. Returns the exit code: 1 when the candidate is not promoted. */
export async function runGate(
  context: CliContext,
  { candidate, baseline }: { readonly candidate: string; readonly baseline: string },
  flags: GateFlags,
): Promise<number> {
  const sources = [flags.holdout, flags.rows, flags.rowsOf].filter((source) => source !== undefined)
  const isOfEvaluations = candidate.startsWith('evl_') && baseline.startsWith('evl_')
  if (isOfEvaluations && sources.length > 0) throw usageError('evaluations have their rows: leave out the option')
  if (sources.length > 1) throw usageError('give the rows by one of --holdout, --rows and --rows-of')
  const thresholds = {
    ...(flags.minGain !== undefined && { min_kscore_delta: flags.minGain }),
    ...(flags.minAccuracy !== undefined && { min_kscore_abs: flags.minAccuracy }),
  }
  const client = await context.client()
  const json = {
    ...(isOfEvaluations
      ? { candidate: { evaluation_id: candidate }, baseline: { evaluation_id: baseline } }
      : {
          candidate_artifact: await findArtifactId(client, candidate),
          baseline_artifact: await findArtifactId(client, baseline),
        }),
    thresholds,
    ...(flags.holdout !== undefined && { corpus_id: flags.holdout }),
    ...(flags.rows !== undefined && { rows: await readRowsFile(flags.rows) }),
    ...(flags.rowsOf !== undefined && { rows_of: await findArtifactId(client, flags.rowsOf) }),
    ...(flags.alpha !== undefined && { alpha: flags.alpha }),
    ...(flags.planned !== undefined && { planned_effect: flags.planned }),
    ...(flags.namespace !== undefined && { namespace_id: flags.namespace }),
  }
  let gate = await client.call('/v1/eval/gate', GateView, { method: 'POST', json, idempotencyKey: newId('req') })
  while (gate.finished_at === null) {
    await sleep(POLL_MS)
    gate = await client.call(gate.poll, GateView)
  }
  if (gate.state === 'failed') {
    throw new CliError(`${gate.gate_id} failed: ${gate.error_code ?? ''}`, { code: gate.error_code ?? 'failed' })
  }
  if (flags.out !== undefined) await writeFile(flags.out, `${JSON.stringify(gate, null, 2)}\n`)
  const decided = gate
  context.output.result(decided, () => textOf(decided))
  return gate.promote === true ? EXIT.ok : EXIT.failed
}

function textOf(gate: z.input<typeof GateView>): string {
  const { registration, outcome } = gate
  const attempt = registration['attempt']
  const level = registration['level']
  return [
    gate.promote === true ? 'promote' : 'do not promote',
    ...(typeof attempt === 'number'
      ? [`attempt ${attempt} on ${outcome === null ? 'this holdout' : 'these rows'}, at level ${shown(level)}`]
      : []),
    ...(outcome === null
      ? []
      : gate.mode === 'evaluations'
        ? [
            `${shown(outcome['rows_scored'])} rows in both, won ${shown(outcome['won'])}, lost ${shown(outcome['lost'])}, p ${shown(outcome['p_value'])}`,
          ]
        : [
            `${shown(outcome['rows_scored'])} of ${shown(outcome['rows_given'])} rows scored, ended by ${shown(outcome['ended_by'])}`,
            `won ${shown(outcome['won'])}, lost ${shown(outcome['lost'])}, evidence ${shown(outcome['evidence'])}`,
          ]),
    `${gate.gate_id}, registered as ${gate.registration_hash}`,
  ].join('\n')
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
