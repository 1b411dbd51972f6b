import { z } from 'zod'
import { CaptureDetail, VerifyCapturesAnswer } from '../../../core/gateway/wire/captures/captures.ts'
import { ListCapturesAnswer } from '../../../core/gateway/wire/captures/reads.ts'
import type { CliContext } from '../../context.ts'
import { EXIT } from '../../exit-codes.ts'
import { formatFacts, formatTable, formatTime, plainText } from '../../terminal/table.ts'
import { filterQuery, type FilterFlags } from './filters.ts'

/** Options of `svc captures list`. */
export interface ListFlags extends FilterFlags {
  readonly limit: number
  readonly cursor?: string
}

/** Characters of a prompt in a list. */
const SHOWN = 60

/** `svc captures list`. */
export async function listCaptures(context: CliContext, flags: ListFlags): Promise<void> {
  const client = await context.client()
  const query = filterQuery(flags, { limit: String(flags.limit), cursor: flags.cursor })
  const answer = await client.call(`/v1/captures/list?${query}`, ListCapturesAnswer)
  const { captures, next_cursor: next } = answer
  context.output.result(answer, () =>
    captures.length === 0
      ? 'no captures'
      : [
          formatTable(
            ['id', 'when', 'namespace', 'model', 'status', 'prompt'],
            captures.map((capture) => [
              capture.id,
              formatTime(capture.timestamp),
              capture.namespace,
              plainText(capture.model ?? ''),
              capture.status,
              plainText(capture.prompt_preview ?? '').slice(0, SHOWN),
            ]),
          ),
          ...(next === null ? [] : [`more: --cursor ${next}`]),
        ].join('\n'),
  )
}

/** `svc captures show`. */
export async function showCapture(context: CliContext, id: string): Promise<void> {
  const client = await context.client()
  const path = `/v1/captures/${encodeURIComponent(id)}/inspect`
  const answer = await client.call(path, z.object({ capture: CaptureDetail }))
  const { capture } = answer
  context.output.result(answer, () =>
    [
      formatFacts([
        ['id', capture.id],
        ['when', formatTime(capture.timestamp)],
        ['namespace', capture.namespace],
        ['source', `${capture.source}, ${capture.kind}`],
        ['model', plainText([capture.provider, capture.model].filter((each) => each !== null).join(' '))],
        ['status', capture.status],
        ['risk', capture.risk_score === null ? 'not measured' : String(capture.risk_score)],
        ['redacted', capture.redaction_applied.join(', ') || 'nothing'],
        ['receipt', capture.receipt_id ?? 'none'],
        ['chain', `row ${capture.seq}, ${capture.chain_hash}`],
      ]),
      section('prompt', capture.prompt),
      section('response', capture.response),
      ...(capture.fixed_output === null ? [] : [section('fixed output', capture.fixed_output)]),
    ].join('\n'),
  )
}

/** `svc captures verify`: exits with 1 when the chain is broken. */
export async function verifyCaptures(
  context: CliContext,
  namespace: string,
  setExitCode: (code: number) => void,
): Promise<void> {
  const client = await context.client()
  const query = new URLSearchParams({ namespace }).toString()
  const answer = await client.call(`/v1/captures/verify?${query}`, VerifyCapturesAnswer)
  if (!answer.verified) setExitCode(EXIT.failed)
  context.output.result(answer, () =>
    answer.verified
      ? `${namespace}: ${answer.chain_length} captures, the chain is valid (${answer.checkpoints} signed checkpoints)\nhead ${answer.head}`
      : `${namespace}: the chain is broken at row ${answer.broken_at ?? 0} (${answer.reason ?? 'unknown'})`,
  )
}

function section(name: string, text: string | null): string {
  const lines = (text ?? 'not stored').split('\n').map((line) => `  ${plainText(line)}`)
  return `${name}\n${lines.join('\n')}`
}
