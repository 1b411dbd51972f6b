import { ListGatesAnswer } from '../../../core/learn/wire/gates.ts'
import type { CliContext } from '../../context.ts'
import { formatTable, formatTime } from '../../terminal/table.ts'

/** Options of `svc eval gates`. */
export interface GateListFlags {
  readonly namespace?: string
  readonly limit: number
}

/** `svc eval gates`. */
export async function listGates(context: CliContext, { namespace, limit }: GateListFlags): Promise<void> {
  const client = await context.client()
  const query = new URLSearchParams({ limit: String(limit), ...(namespace !== undefined && { namespace }) })
  const answer = await client.call(`/v1/eval/gates?${query.toString()}`, ListGatesAnswer)
  context.output.result(answer, () =>
    answer.gates.length === 0
      ? 'no gates yet: svc eval gate starts one'
      : formatTable(
          ['gate', 'mode', 'state', 'decision', 'candidate', 'baseline', 'created'],
          answer.gates.map((gate) => [
            gate.gate_id,
            gate.mode,
            gate.state,
            gate.decision ?? '-',
            gate.candidate_artifact_id ?? gate.candidate_evaluation_id ?? '-',
            gate.baseline_artifact_id ?? gate.baseline_evaluation_id ?? '-',
            formatTime(gate.created_at),
          ]),
        ),
  )
}
