import { Option, type Command } from 'commander'
import type { CliContext } from '../../context.ts'
import { parseAmount, wholeNumber } from '../../number-option.ts'
import type { PreferenceFlags, StartFlags } from './runs.ts'

const MOST = 1_000_000

/** `svc distill start|preference|watch|runs|show|cancel|preview`, beside strategy and doctor. */
export function addDistillCommands(program: Command, context: () => CliContext): void {
  const distill = program.commands.find((command) => command.name() === 'distill')
  if (distill === undefined) throw new Error('the commands that plan a distillation come first')
  addStarts(distill, context)
  distill
    .command('watch')
    .description('show the stages and figures of a run until it is over')
    .argument('<run>', 'run_…')
    .action(async (run: string) => {
      const { watchDistillation } = await import('./runs.ts')
      await watchDistillation(context(), run)
    })
  distill
    .command('runs')
    .description('list runs, newest first')
    .option('--limit <n>', 'most runs to list', wholeNumber(1, 500), 20)
    .option('-n, --namespace <name>', 'of this namespace alone')
    .action(async (flags: { readonly limit: number; readonly namespace?: string }) => {
      const { listRuns } = await import('./runs.ts')
      await listRuns(context(), flags)
    })
  distill
    .command('show')
    .description('show a run and its figures')
    .argument('<run>', 'run_…')
    .action(async (run: string) => {
      const { showRun } = await import('./runs.ts')
      await showRun(context(), run)
    })
  distill
    .command('cancel')
    .description('end a run and its compile')
    .argument('<run>', 'run_…')
    .action(async (run: string) => {
      const { cancelDistillation } = await import('./runs.ts')
      await cancelDistillation(context(), run)
    })
  distill
    .command('preview')
    .description('show what a namespace has to distil, and what more captures would bring')
    .argument('[namespace]', 'of the captures', 'default')
    .option('--target <k>', 'the K-score that is aimed for', parseAmount, 0.8)
    .action(async (namespace: string, flags: { readonly target: number }) => {
      const { previewCaptures } = await import('./runs.ts')
      await previewCaptures(context(), namespace, flags)
    })
}

function addStarts(distill: Command, context: () => CliContext): void {
  distill
    .command('start')
    .description('distil the captures of a namespace and wait for the artifact')
    .option('-n, --namespace <name>', 'of the captures')
    .addOption(new Option('--mode <mode>', 'the largest cluster, or all captures').choices(['recipe', 'specialist']))
    .option('--name <text>', 'leads the task, and so names the concept')
    .option('-t, --task <text>', 'the task in words; made of the calls when absent')
    .option('--teacher <model>', 'a model to ask about rows with doubtful labels')
    .option('--base <name>', 'base of an adapter; none for no adapter')
    .option('--floor <number>', 'the K-score below which nothing is signed', parseAmount)
    .option('--min-pairs <n>', 'captures that there must be', wholeNumber(4, MOST))
    .option('--no-wait', 'return at once')
    .action(async (flags: StartFlags) => {
      const { startDistillation } = await import('./runs.ts')
      await startDistillation(context(), flags)
    })
  distill
    .command('preference')
    .description('train an adapter on preferences and wait for its figures')
    .option('--pairs <path>', 'a file in your workspace on the server')
    .option('--dataset <id>', 'a dataset of type preference or unpaired')
    .option('--review', 'the corrections of reviewers')
    .option('-n, --namespace <name>', 'of the run')
    .option('--student <base>', 'the base to train')
    .addOption(new Option('--objective <name>', 'what is optimised').choices(['dpo', 'simpo', 'orpo', 'kto']))
    .option('--beta <number>', 'that of the objective when absent', parseAmount)
    .option('--epochs <n>', 'passes over the pairs at most', wholeNumber(1, 100))
    .option('--floor <number>', 'the K-score below which nothing is signed', parseAmount)
    .option('--no-wait', 'return at once')
    .action(async (flags: PreferenceFlags) => {
      const { startPreference } = await import('./runs.ts')
      await startPreference(context(), flags)
    })
}
