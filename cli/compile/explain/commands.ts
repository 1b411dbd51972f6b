import { Option, type Command } from 'commander'
import { ROW_SIDES } from '../../../core/compile/wire/jobs/explain/row-sides.ts'
import type { CliContext } from '../../context.ts'
import { wholeNumber } from '../../number-option.ts'
import type { AcceptFlags } from './accept.ts'
import type { RowsFlags } from './rows.ts'

/** Adds the commands that explain a finished job. */
export function addExplainCommands(
  program: Command,
  context: () => CliContext,
  setExitCode: (code: number) => void,
): void {
  program
    .command('rows')
    .description('show the rows of a job with their results: input, expected, got')
    .argument('<job>', 'id of the job')
    .addOption(new Option('--wrong', 'only rows that count against the floor').conflicts('abstained'))
    .option('--abstained', 'only rows on which the recipe abstained')
    .addOption(new Option('--side <side>', 'only rows of this side').choices([...ROW_SIDES]))
    .option('--limit <n>', 'how many', wholeNumber(1, 100_000), 100)
    .option('--examples', 'write them as JSON lines of {id, input, output}, to correct for compile --from')
    .action(async (job: string, options: RowsFlags) => {
      const { showRows } = await import('./rows.ts')
      await showRows(context(), job, options)
    })
  program
    .command('accept')
    .description('sign the best candidate of a gated job although it is below the floor; charged like an artifact')
    .argument('<job>', 'id of the job')
    .option('-o, --out <file>', 'download the archive')
    .option('-f, --force', 'overwrite an existing --out file without asking')
    .action(async (job: string, options: AcceptFlags) => {
      const { acceptJob } = await import('./accept.ts')
      setExitCode(await acceptJob(context(), job, options))
    })
}
