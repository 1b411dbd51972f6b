import { Option, type Command } from 'commander'
import type { CompileChoices, Trainer } from '../../../core/compile/stages/lora/lora-options.ts'
import type { ExampleObjective } from '../../../core/model/training/objectives/objective.ts'
import type { CompileInput } from '../../../core/compile/wire/jobs/spec.ts'
import { parseNumber } from '../../number-option.ts'

// Spelled here and held to the core's types, which would take long to load for a help text.
const KINDS: readonly CompileChoices['recipe_kind'][] = [
  'auto',
  'program',
  'classifier',
  'tabular',
  'composite',
  'lora',
]
const TRAINERS: readonly Trainer[] = ['embedded', 'peft']
const OBJECTIVES: readonly ExampleObjective[] = ['supervised', 'distillation', 'dpo', 'simpo', 'orpo', 'kto']

/** Flags for the kind of recipe and the fit of an adapter. */
export interface FitFlags {
  readonly base?: string
  readonly kind?: CompileChoices['recipe_kind']
  readonly trainer?: Trainer
  readonly objective?: ExampleObjective
  readonly rank?: number
  readonly epochs?: number
  readonly learningRate?: number
  readonly seed?: number
  readonly maxLength?: number
}

/** Adds the flags to `svc compile`. */
export function addFitOptions(command: Command): Command {
  return addAdapterOptions(command).addOption(
    new Option('--trainer <trainer>', 'trainer of an adapter').choices(TRAINERS),
  )
}

/** Adds those that do not say where an adapter is fitted. */
export function addAdapterOptions(command: Command): Command {
  return command
    .option('--base <name>', 'base of an adapter; none for never (nano, if nothing cheaper passes)')
    .addOption(new Option('--kind <kind>', 'allowed kind of recipe').choices(KINDS))
    .addOption(new Option('--objective <name>', 'objective of an adapter').choices(OBJECTIVES))
    .option('--rank <n>', 'rank of an adapter, 4 to 64', parseNumber)
    .option('--epochs <n>', 'passes over the rows, at most', parseNumber)
    .option('--learning-rate <x>', 'highest learning rate of a fit', parseNumber)
    .option('--seed <n>', 'seed of a fit', parseNumber)
    .option('--max-length <tokens>', 'longest row of a fit', parseNumber)
}

/** Converts the flags into fields of the request. The server checks ranges and names the field. */
export function fitSpec(flags: FitFlags): Partial<CompileInput> {
  const { base, kind, trainer, objective, rank, epochs, learningRate, seed, maxLength } = flags
  const lora = {
    ...(objective !== undefined && { objective }),
    ...(rank !== undefined && { rank }),
    ...(epochs !== undefined && { epochs }),
    ...(learningRate !== undefined && { learning_rate: learningRate }),
    ...(seed !== undefined && { seed }),
    ...(maxLength !== undefined && { max_length: maxLength }),
  }
  return {
    ...(base !== undefined && { base_model: base }),
    ...(kind !== undefined && { recipe_kind: kind }),
    ...(trainer !== undefined && { trainer }),
    ...(Object.keys(lora).length > 0 && { lora }),
  }
}
