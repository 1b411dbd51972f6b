import { InvalidArgumentError, type Command } from 'commander'
import { parseInstant } from '../../core/kernel/wire/since.ts'
import type { CliContext } from '../context.ts'
import { wholeNumber } from '../number-option.ts'
import type { AuditFlags } from './list-audit.ts'

/** `svc audit`: the newest lines of the audit log. */
export function addAuditCommand(program: Command, context: () => CliContext): void {
  program
    .command('audit')
    .description('list the audit log, newest first: when, who, what')
    .option('--since <time>', 'only actions at this time or later, such as 2026-11-01', parseSince)
    .option('--limit <n>', 'most lines to list, up to 500', wholeNumber(1, 500), 50)
    .action(async (options: AuditFlags) => {
      const { listAudit } = await import('./list-audit.ts')
      await listAudit(context(), options)
    })
}

function parseSince(text: string): string {
  if (parseInstant(text) === undefined) throw new InvalidArgumentError('must be a time such as 2026-11-01')
  return text
}
