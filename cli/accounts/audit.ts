import { InvalidArgumentError, type Command } from 'commander'
import { parseInstant } from '../../core/kernel/wire/since.ts'
import { ListAuditAnswer } from '../../core/ledger/wire/audit.ts'
import type { CliContext } from '../context.ts'
import { wholeNumber } from '../number-option.ts'
import { formatTable, formatTime, plainText } from '../terminal/table.ts'

interface AuditFlags {
  readonly since?: string
  readonly limit: number
}

/** `svc audit`: the newest lines of the audit log. */
export function addAuditCommand(program: Command, context: () => CliContext): void {
  program
    .command('audit')
    .description('list the audit log, newest first: when, who, what')
    .option('--since <time>', 'only actions at this time or later, such as 2026-11-01', parseSince)
    .option('--limit <n>', 'most lines to list, up to 500', wholeNumber(1, 500), 50)
    .action(async (options: AuditFlags) => await listAudit(context(), options))
}

async function listAudit(context: CliContext, { since, limit }: AuditFlags): Promise<void> {
  const client = await context.client()
  const query = new URLSearchParams({ limit: String(limit), ...(since !== undefined && { since }) })
  const answer = await client.call(`/v1/account/audit-log?${query.toString()}`, ListAuditAnswer)
  const { entries, total } = answer
  context.output.result(answer, () =>
    entries.length === 0
      ? 'no actions in this time'
      : [
          formatTable(
            ['when', 'who', 'action', 'target'],
            entries.map(({ at, by, op, target }) => [formatTime(at), plainText(by.text), op, target ?? '']),
          ),
          ...(total > entries.length ? [`${entries.length} of ${total} lines; --limit shows more`] : []),
        ].join('\n'),
  )
}

function parseSince(text: string): string {
  if (parseInstant(text) === undefined) throw new InvalidArgumentError('must be a time such as 2026-11-01')
  return text
}
