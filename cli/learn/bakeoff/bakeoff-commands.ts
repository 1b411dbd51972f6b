import { Option, type Command } from 'commander'
import { COMPARATORS } from '../../../core/learn/evals/bakeoff/compare-output.ts'
import type { CliContext } from '../../context.ts'
import { parseShare, wholeNumber } from '../../number-option.ts'
import type { BakeoffFlags } from './bakeoffs.ts'

/** `svc bakeoff …`: contestants on the held-out rows of a dataset. */
export function addBakeoffCommands(program: Command, context: () => CliContext): void {
  const bakeoff = program
    .command('bakeoff')
    .description('find the cheapest contestant that is no worse on the held-out rows of a dataset')
  bakeoff
    .command('run')
    .description('let contestants answer the held-out rows, and wait for their figures')
    .argument('<dataset>', 'ds_…, with held-out rows')
    .option(
      '-c, --contestant <name...>',
      'cmp_…, rule, classifier, cache, base:<name>, prompt_only:<model> or few_shot:<model>',
    )
    .option('--version-number <n>', 'the version of the dataset; the newest when absent', wholeNumber(1, 1_000_000))
    .option('--rows <n>', 'held-out rows at most', wholeNumber(1, 1_000_000))
    .option('--margin <share>', 'how much worse a cheaper contestant may be (default: 0.05)', parseShare)
    .option('--instruction <text>', 'the instruction that models get before the input')
    .option('--shots <n>', 'train rows that prompts with examples show at most', wholeNumber(1, 40))
    .addOption(new Option('--comparator <name>', 'how answers are compared').choices(COMPARATORS))
    .option('--judge <model>', 'a model that compares the answers of each pair')
    .action(async (dataset: string, flags: BakeoffFlags) => {
      const { runBakeoff } = await import('./bakeoffs.ts')
      await runBakeoff(context(), dataset, flags)
    })
  bakeoff
    .command('list')
    .description('list bake-offs, newest first')
    .option('--limit <n>', 'most bake-offs to list', wholeNumber(1, 100), 20)
    .action(async ({ limit }: { readonly limit: number }) => {
      const { listBakeoffs } = await import('./bakeoffs.ts')
      await listBakeoffs(context(), limit)
    })
  bakeoff
    .command('show')
    .description('show a bake-off and its figures')
    .argument('<bakeoff>', 'bko_…')
    .action(async (id: string) => {
      const { showBakeoff } = await import('./bakeoffs.ts')
      await showBakeoff(context(), id)
    })
}
