import { type Command, Option } from 'commander'
import { COMPOSE_STRATEGIES } from '../../../core/compile/runtime/routing/merge-answers.ts'
import type { CliContext } from '../../context.ts'
import { wholeNumber } from '../../number-option.ts'
import type { ComposeFlags } from './compose.ts'

/** Adds `svc compose`. */
export function addComposeCommand(
  program: Command,
  context: () => CliContext,
  setExitCode: (code: number) => void,
): void {
  program
    .command('compose')
    .description('ask the concepts that an input and a query are for, and merge their answers')
    .argument('<query>', 'the task in words')
    .argument('[input]', 'text or JSON; - is standard input', '-')
    .option('-k <n>', 'ask at most so many concepts (5)', wholeNumber(1, 32))
    .addOption(new Option('--strategy <name>', 'how answers become one (attention)').choices([...COMPOSE_STRATEGIES]))
    .option('--tag <tag>', 'ask only concepts with this tag')
    .option('--deadline <ms>', 'leave out what has not answered by then (10000)', wholeNumber(1, 60_000))
    .option('--no-cache', 'compute answers even if they are cached')
    .addOption(new Option('--text', 'read the input as text').conflicts('jsonInput'))
    .option('--json-input', 'read the input as JSON')
    .action(async (query: string, input: string, options: ComposeFlags) => {
      const { compose } = await import('./compose.ts')
      setExitCode(await compose(context(), query, input, options))
    })
}
