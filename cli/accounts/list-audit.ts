import { ListAuditAnswer } from '../../core/ledger/wire/audit.ts'
import type { CliContext } from '../context.ts'
import { formatTable, formatTime, plainText } from '../terminal/table.ts'

/** Options of `svc audit`. */
export interface AuditFlags {
  readonly since?: string
  readonly limit: number
}

/** `svc audit`. */
export async function listAudit(context: CliContext, { since, limit }: AuditFlags): Promise<void> {
  const client = await context.client()
  const query = new URLSearchParams({ limit: String(limit), ...(since !== undefined && { since }) })
  const answer = await client.call(`/v1/account/audit-log?${query.toString()}`, ListAuditAnswer)
  const { entries, total } = answer
  context.output.result(answer, () =>
    entries.length === 0
      ? 'no actions in this time'
      : [
          formatTable(
            ['when', 'what happened', 'action', 'target'],
            entries.map(({ at, sentence, op, target }) => [formatTime(at), plainText(sentence), op, target ?? '']),
          ),
          ...(total > entries.length ? [`${entries.length} of ${total} lines; --limit shows more`] : []),
        ].join('\n'),
  )
}
