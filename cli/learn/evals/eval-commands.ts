import { Option, type Command } from 'commander'
import type { CliContext } from '../../context.ts'
import { wholeNumber } from '../../number-option.ts'
import type { EvalImportFlags } from './eval-import.ts'
import type { CompareFlags, EvalLogFlags, EvalRunFlags } from './evals.ts'

const MOST = 1_000_000

/** `svc eval …`: evaluations on tasks of lm-evaluation-harness. */
export function addEvalCommands(program: Command, context: () => CliContext): void {
  const evals = program
    .command('eval')
    .description('evaluate artifacts, bases and models of providers on tasks of lm-evaluation-harness')
  evals
    .command('run')
    .description('evaluate a target on a task and wait for its figures')
    .argument('[task]', 'YAML of a task or a group; what it includes is read from its folder')
    .option('-d, --data <split=file...>', 'rows of a split, as JSON lines or a JSON list')
    .option('--dataset <id>', 'the dataset whose rows are evaluated, in place of --data')
    .option('--dataset-version <n>', 'its version; the newest when absent', wholeNumber(1, MOST))
    .addOption(new Option('--side <name>', 'its rows').choices(['holdout', 'train', 'all']))
    .option('--artifact <id>', 'the artifact to evaluate')
    .option('--base <name>', 'the base to evaluate')
    .option('--adapter <id>', 'an artifact whose adapter is put on the base')
    .option('--model <name>', 'the model of a provider to evaluate, such as openai/gpt-4o-mini')
    .option('--name <text>', 'a name for people')
    .option('-n, --namespace <name>', 'the namespace of the evaluation')
    .option('--fewshot <n>', 'examples in each prompt', wholeNumber(0, 1000))
    .option('--limit <n>', 'rows of each task at most', wholeNumber(1, MOST))
    .option('--seed <n>', 'seed of examples and drawn answers', wholeNumber(0, Number.MAX_SAFE_INTEGER))
    .option('--slice-by <column>', 'show the figures of each value of a column too')
    .option('--cluster-by <column>', 'rows with one value belong together, such as a passage')
    .action(async (task: string | undefined, flags: EvalRunFlags) => {
      const { runEval } = await import('./evals.ts')
      await runEval(context(), task, flags)
    })
  evals
    .command('resume')
    .description('go on with an evaluation that failed, and wait for its figures; no answer is asked for twice')
    .argument('<evaluation>', 'evl_…')
    .action(async (id: string) => {
      const { resumeEval } = await import('./evals.ts')
      await resumeEval(context(), id)
    })
  evals
    .command('show')
    .description('show an evaluation and its figures')
    .argument('<evaluation>', 'evl_…')
    .action(async (id: string) => {
      const { showEval } = await import('./evals.ts')
      await showEval(context(), id)
    })
  evals
    .command('list')
    .description('list evaluations, newest first')
    .option('--limit <n>', 'most evaluations to list', wholeNumber(1, 100), 20)
    .action(async ({ limit }: { readonly limit: number }) => {
      const { listEvals } = await import('./evals.ts')
      await listEvals(context(), limit)
    })
  evals
    .command('compare')
    .description('compare two evaluations row by row: the second less the first')
    .argument('<first>', 'evl_…')
    .argument('<second>', 'evl_…')
    .addOption(
      new Option('--correction <name>', 'how p-values of slices are adjusted').choices(['bh', 'holm']).default('bh'),
    )
    .action(async (first: string, second: string, flags: CompareFlags) => {
      const { compareEvals } = await import('./evals.ts')
      await compareEvals(context(), first, second, flags)
    })
  evals
    .command('import')
    .description('import the log of Inspect (.eval) or lm-evaluation-harness as an asserted evaluation')
    .argument('<file...>', 'an .eval file, a zip, or results_….json and samples_….jsonl')
    .option('--name <text>', 'a name for people')
    .option('-n, --namespace <name>', 'the namespace of the evaluation')
    .action(async (files: string[], flags: EvalImportFlags) => {
      const { importEval } = await import('./eval-import.ts')
      await importEval(context(), files, flags)
    })
  evals
    .command('log')
    .description('download the log of an evaluation')
    .argument('<evaluation>', 'evl_…')
    .addOption(
      new Option('--format <name>', 'the tool that reads it').choices(['inspect', 'lm-eval']).default('inspect'),
    )
    .option('-o, --out <file>', 'the file to write; <evaluation>.eval or .zip when absent')
    .action(async (id: string, flags: EvalLogFlags) => {
      const { saveEvalLog } = await import('./evals.ts')
      await saveEvalLog(context(), id, flags)
    })
}
