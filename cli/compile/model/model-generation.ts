import type { Command } from 'commander'
import type { CliContext } from '../../context.ts'
import { parseNumber } from '../../number-option.ts'
import type { LogProbsFlags, SampleFlags } from './model-flags.ts'

/** `svc model logprobs` and `svc model sample`. */
export function addGenerationCommands(model: Command, context: () => CliContext): void {
  withWeights(model.command('logprobs'))
    .description('how likely a base, or a base with an adapter, finds each token of a text')
    .requiredOption('--text <text>', 'the text')
    .action(async (flags: LogProbsFlags) => {
      const { showLogProbs } = await import('./model-logprobs.ts')
      await showLogProbs(context(), flags)
    })
  withWeights(model.command('sample'))
    .description('continue a prompt')
    .requiredOption('--prompt <text>', 'the prompt to continue')
    .option('--chat', "put the prompt into the base's chat template as the user's message")
    .option('--max-tokens <n>', 'maximum number of tokens of the answer', parseNumber)
    .option('--temperature <n>', '0 always picks the likeliest token', parseNumber)
    .option('--top-p <n>', 'draw among the fewest tokens whose probabilities sum to this', parseNumber)
    .option('--top-k <n>', 'draw among this many likeliest tokens', parseNumber)
    .option('--seed <n>', 'same seed, same answer', parseNumber)
    .option('--stop <text>', 'end the answer before this text; may be given more than once', collect)
    .option('--labels <a,b,c>', 'answer with one of these')
    .option('--regex <pattern>', 'answer with a text that matches as a whole')
    .option('--json-schema <file>', 'answer with JSON that validates')
    .action(async (flags: SampleFlags) => {
      const { sample } = await import('./model-sample.ts')
      await sample(context(), flags)
    })
}

function withWeights(command: Command): Command {
  return command
    .requiredOption('--base <dir>', 'folder of the base model')
    .option('--adapter <dir>', 'folder of an adapter, as PEFT or svc train writes it')
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value]
}
