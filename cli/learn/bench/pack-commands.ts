import { Option, type Command } from 'commander'
import { BENCHMARKS } from '../../../core/learn/evals/bench/benchmarks.ts'
import type { CliContext } from '../../context.ts'
import { wholeNumber } from '../../number-option.ts'
import type { BenchFlags, UploadFlags } from './packs.ts'
const MOST = 20_000

/** `svc bench mmlu|humaneval|mtbench|…`: packs of benchmarks, and runs on them. */
export function addPackCommands(bench: Command, context: () => CliContext): void {
  const run = (name: (typeof BENCHMARKS)[number], description: string): Command =>
    bench
      .command(name)
      .description(description)
      .option('--artifact <id>', 'the artifact to ask')
      .option('--base <name>', 'the base to ask')
      .option('--adapter <id>', 'an artifact whose adapter is put on the base')
      .option('--pack <file|id>', 'an official file to upload, or bpk_…; your newest pack when absent')
      .option('-n, --namespace <name>', 'the namespace of the run')
      .option('--name <text>', 'a name for people')
      .option('--seed <n>', 'seed of drawn answers', wholeNumber(0, Number.MAX_SAFE_INTEGER))
      .option('--max-tokens <n>', 'tokens of one answer at most', wholeNumber(1, 100_000))
      .action(async (flags: BenchFlags) => {
        const { runBench } = await import('./packs.ts')
        await runBench(context(), name, flags)
      })
  run('mmlu', 'ask multiple-choice questions by subject')
    .option('--subjects <name...>', 'subjects; all when absent')
    .option('--limit <n>', 'questions of each subject at most', wholeNumber(1, MOST))
    .option('--fewshot <n>', "examples in each prompt, of the pack's dev files", wholeNumber(0, 5))
    .addOption(new Option('--answer <kind>', 'how a letter is found').choices(['likelihood', 'text']))
  run('humaneval', 'run completions of functions in a sandbox')
    .option('--samples <n>', 'completions of each task, for pass@k', wholeNumber(1, 200))
    .option('--limit <n>', 'tasks at most', wholeNumber(1, MOST))
    .option('--timeout <ms>', 'time of one program, milliseconds', wholeNumber(100, 300_000))
  run('mtbench', 'have a model judge two turns of each question')
    .option('--limit <n>', 'questions at most', wholeNumber(1, MOST))
    .option('--judge <model>', "the model that judges; the operator's teacher when absent")
  bench
    .command('show')
    .description('show a run and its results')
    .argument('<run>', 'evl_…')
    .action(async (id: string) => {
      const { showBench } = await import('./packs.ts')
      await showBench(context(), id)
    })
  bench
    .command('upload')
    .description('upload the official file of a benchmark')
    .argument('<file>', 'a tar or zip of MMLU, HumanEval.jsonl, or question.jsonl; gzip is read too')
    .addOption(
      new Option('--benchmark <name>', 'the benchmark whose file it is').choices(BENCHMARKS).makeOptionMandatory(),
    )
    .option('--name <text>', 'a name for people')
    .option('-n, --namespace <name>', 'the namespace of the pack')
    .action(async (file: string, flags: UploadFlags) => {
      const { uploadPack } = await import('./packs.ts')
      await uploadPack(context(), file, flags)
    })
  bench
    .command('packs')
    .description('list packs, newest first, and those that the operator installed')
    .action(async () => {
      const { listPacks } = await import('./packs.ts')
      await listPacks(context())
    })
}
