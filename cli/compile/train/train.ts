import { Option, type Command } from 'commander'
import { OBJECTIVES } from '../../../core/model/training/objectives/objective.ts'
import type { CliContext } from '../../context.ts'
import { parseAmount, parseNumber, wholeNumber } from '../../number-option.ts'
import type { TrainFlags } from './train-flags.ts'

/** More threads than any machine computes with. */
const MOST_THREADS = 256

/** `svc train`: fits an adapter on this machine, without a server. */
export function addTrainCommand(program: Command, context: () => CliContext): void {
  program
    .command('train')
    .description('fit an adapter on this machine; needs no server. Ctrl-C leaves a checkpoint to continue from')
    .requiredOption('--base <dir>', 'folder of the base model')
    .requiredOption(
      '--data <file>',
      'rows as JSONL: {input, output}, {input, chosen, rejected}, {input, output, label} or {input, output, teacher_log_probs}',
    )
    .requiredOption('--out <dir>', 'folder for the adapter, training.json and loss.svg; created if it does not exist')
    .addOption(new Option('--objective <name>', 'the objective').choices([...OBJECTIVES]).default('supervised'))
    .option('--teacher <dir>', 'of gkd: folder of the teacher, a base with the same vocabulary')
    .option('--teacher-adapter <dir>', 'of gkd: folder of an adapter on the teacher')
    .option('--beta <n>', 'of dpo, simpo and kto; of kd and gkd 0 (forward divergence) to 1 (reverse)', parseNumber)
    .option('--lmbda <n>', 'of gkd: probability that the student answers a step itself', parseNumber)
    .option('--temperature <n>', 'of gkd: of those answers; of kd: of both distributions', parseNumber)
    .option('--warmup <n>', 'of gkd: share of the steps that come first and are supervised', parseNumber)
    .option('--max-new-tokens <n>', 'of gkd: tokens of such an answer', parseNumber)
    .option('--instruction <text>', 'an instruction before every input')
    .option('--resume <file>', 'continue from this checkpoint')
    .option('--rank <n>', 'rank of the adapter', parseNumber)
    .option('--alpha <n>', 'scale of the adapter: alpha / rank (default: twice the rank)', parseNumber)
    .option('--epochs <n>', 'passes over the rows', parseNumber)
    .option('--max-steps <n>', 'steps, at most', parseNumber)
    .option('--learning-rate <n>', 'the highest learning rate', parseNumber)
    .option('--batch-tokens <n>', 'tokens per batch', parseNumber)
    .option('--max-length <n>', 'tokens of the longest row; longer prompts are cut from the left', parseNumber)
    .option('--validation-share <n>', 'share of the rows for early stopping, 0 for none', parseNumber)
    .option('--seed <n>', 'determines the initial weights and the order of the rows', parseNumber)
    .option('--checkpoint-seconds <n>', 'time between checkpoints (default: 30)', parseAmount)
    .option('--threads <n>', 'threads to compute with', wholeNumber(1, MOST_THREADS))
    .option('--memory-mib <n>', 'memory that may be used (default: the free memory)', parseAmount)
    .action(async (flags: TrainFlags) => {
      const { train } = await import('./train-adapter.ts')
      await train(context(), flags)
    })
}
