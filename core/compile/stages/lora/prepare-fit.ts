import { MOST_ADAPTER_BYTES } from '../../archive/zip/layout.ts'
import { trainableParameters } from '../../../model/llama/parameters.ts'
import { KERNEL_ERRORS } from '../../../kernel/errors.ts'
import { MODEL_ERRORS } from '../../../model/errors.ts'
import type { Sha256 } from '../../../kernel/json/json.ts'
import type { ModelConfig } from '../../../model/config/model-config.ts'
import { countParameters } from '../../../model/config/weight-names.ts'
import { readBaseTokenizer } from '../../../model/files/base-tokenizer.ts'
import { readBaseConfig } from '../../../model/files/inspect-base.ts'
import type { Truncation } from '../../../model/training/data/encode-rows.ts'
import { splitForValidation } from '../../../model/training/data/validation-split.ts'
import type { FitTeacher } from '../../../model/training/fit/fit-types.ts'
import { planFit } from '../../../model/training/fit/plan-fit.ts'
import { defaultHyperparameters, type FitFacts, type Hyperparameters } from '../../../model/training/hyperparameters.ts'
import { createPromptEncoder, promptFormatFor, type PromptEncoder } from '../../../model/training/prompt.ts'
import { computedLength, unitOf, type FitRow } from '../../../model/training/rows.ts'
import type { NegativeExample } from '../../rows/intake/example.ts'
import type { Split } from '../../rows/split/split-report.ts'
import type { Row } from '../../rows/task.ts'
import type { TeacherRow } from '../teacher/teacher-types.ts'
import { answerForm, type AnswerForm } from './answer-form.ts'
import { LORA_SKIP_REASONS } from './decide-fit.ts'
import { encodeFitDocument, type FitDocument } from './fit/fit-document.ts'
import { hyperparameterOverrides, type LoraOptions } from './lora-options.ts'
import {
  distilMembers,
  distilOverrides,
  plannedTeacher,
  promptOfDistil,
  type OpenedDistil,
} from './fit/prepare-distil.ts'
import type { LoraRecipe } from './lora-recipe.ts'
import { encodeTraining, type TrainingSources } from './training-rows.ts'

/** Everything that a fit is prepared from. */
export interface PrepareFitInput {
  readonly task: string
  readonly rows: readonly Row[]
  readonly negatives: readonly NegativeExample[]
  /** The split whose train rows are learned from; its other rows score the adapter. */
  readonly split: Split
  readonly teacherRows: readonly TeacherRow[]
  readonly base: { readonly name: string; readonly directory: string; readonly weightsHash: Sha256 }
  readonly options: LoraOptions
  /** Student and teacher of a distillation; absent for a fit that has none. */
  readonly distil?: OpenedDistil | undefined
  /** Memory that training may take; null where another machine trains. */
  readonly memoryBudgetBytes: number | null
  /** True to name the rows of the document by numbers: for machines that learn nothing beside token ids. */
  readonly hidesIds?: boolean
}

/** One fit: its document, and the rows whose answers it is judged by. */
export interface PlannedFit {
  readonly document: Uint8Array
  /** Ids of the rows that the fit never saw and answers. */
  readonly heldIds: readonly string[]
  /** Ids of the rows that early stopping looked at. */
  readonly validationIds: readonly string[]
}

/** The fit of a job. */
export interface PreparedFit {
  readonly recipe: LoraRecipe
  readonly hyperparameters: Hyperparameters
  /** One fit; plans of earlier versions have one for each fold before the one that ships. */
  readonly fits: readonly PlannedFit[]
  readonly truncated: readonly Truncation[]
  readonly rows: { readonly examples: number; readonly teacher: number; readonly trained: number }
}

/** Hidden sizes below this belong to bases that were never taught to follow instructions. */
const INSTRUCTED_FROM_HIDDEN = 512
/** Maximum length of an answer, as a multiple of the longest answer of the train rows. */
const ANSWER_HEADROOM = 1.5
const ANSWER_SLACK_TOKENS = 8

/**
 * Turns the train side into the document of the fit. Deterministic for the same input. Throws
 * `validation_failed` when some outputs are texts and others are not, `too_few_preferences`, `example_too_large`,
 * `no_training_rows`, `base_does_not_fit`, `unsupported_architecture` and `invalid_model`.
 */
export async function prepareFit(input: PrepareFitInput): Promise<PreparedFit> {
  const { split, options, distil } = input
  const config = await readBaseConfig(input.base.directory)
  const rowsAt = (places: readonly number[]): readonly Row[] => places.flatMap((place) => input.rows[place] ?? [])
  const train = rowsAt(split.train)
  if (train.length === 0) throw MODEL_ERRORS.no_training_rows('there are no rows to train on')
  const form = answerForm(train.map(({ output }) => output))
  if (form === null) throw KERNEL_ERRORS.validation_failed(LORA_SKIP_REASONS.mixed_outputs)
  const { encoder, prompt } = await openEncoder(input, config)
  const teacher = distil && (await plannedTeacher(distil))
  // Student and teacher read the same tokens.
  const context = Math.min(config.contextLength, teacher?.config.contextLength ?? config.contextLength)
  const maxLength = Math.min(context, options.max_length ?? LONGEST)
  const held = rowsAt(split.holdout)
  const sources: TrainingSources = { ...input, train, held }
  const { objective = 'supervised' } = options
  const whole = encodeTraining(sources, objective, encoder, maxLength)
  if (whole.rows.length === 0) throw MODEL_ERRORS.no_training_rows('there are no rows to train on')
  const hyperparameters = defaultHyperparameters(factsOf(whole.rows, config), objective, {
    ...hyperparameterOverrides(options),
    ...(distil !== undefined && distilOverrides(distil)),
    maxLength,
  })
  requireRoom(config, hyperparameters)
  return {
    recipe: recipeOf(input, config, form, { prompt, answerTokens: longestAnswer(train, encoder) }),
    hyperparameters,
    fits: [planOne(whole.rows, held, { input, config, hyperparameters, teacher })],
    truncated: whole.truncated,
    rows: { examples: train.length, teacher: input.teacherRows.length, trained: whole.rows.length },
  }
}

const LONGEST = 1024
const FLOAT_BYTES = 4

/** An adapter that fits into no archive would be fitted in vain. */
function requireRoom(config: ModelConfig, { rank, alpha, targetModules }: Hyperparameters): void {
  const parameters = trainableParameters(config, { mode: 'lora', rank, alpha, targetModules })
  const bytes = FLOAT_BYTES * parameters.reduce((sum, { size }) => sum + size, 0)
  if (bytes <= MOST_ADAPTER_BYTES) return
  throw MODEL_ERRORS.base_does_not_fit(
    `an adapter of rank ${rank} on this base has ${bytes} bytes, and an archive holds ${MOST_ADAPTER_BYTES}; take a lower rank, or a smaller base`,
    { details: { neededBytes: bytes, availableBytes: MOST_ADAPTER_BYTES } },
  )
}

async function openEncoder({ base, task, distil }: PrepareFitInput, config: ModelConfig) {
  const { tokenizer, chatTemplate } = await readBaseTokenizer(base.directory, config)
  const [endTokenId] = config.eosTokenIds
  if (endTokenId === undefined) throw MODEL_ERRORS.invalid_model('the base defines no token that ends an answer')
  const own = promptFormatFor({ chatTemplate }, config.hiddenSize < INSTRUCTED_FROM_HIDDEN ? null : task)
  const prompt = (distil && promptOfDistil(distil)) ?? own
  return { prompt, encoder: createPromptEncoder(prompt, { tokenizer, chatTemplate, endTokenId }) }
}

function planOne(
  rows: readonly FitRow[],
  held: readonly Row[],
  facts: {
    readonly input: PrepareFitInput
    readonly config: ModelConfig
    readonly hyperparameters: Hyperparameters
    readonly teacher: FitTeacher | undefined
  },
): PlannedFit {
  const { base, memoryBudgetBytes, distil, hidesIds = false } = facts.input
  const { hyperparameters, teacher } = facts
  const sides = splitForValidation(rows, hyperparameters.validationShare, hyperparameters.seed)
  if (memoryBudgetBytes !== null) {
    planFit({
      base: { name: base.name, weightsHash: base.weightsHash, config: facts.config, weights: new Map() },
      rows: sides.train,
      validation: sides.validation,
      hyperparameters,
      ...(teacher !== undefined && { teacher }),
      memoryBudgetBytes,
      threads: 1,
    })
  }
  const document: FitDocument = {
    format: 'svc-fit/1',
    base: { name: base.name, weightsHash: base.weightsHash },
    hyperparameters,
    rows: sides.train.map((row, place) => plainRow(row, hidesIds ? `${place + 1}` : row.id)),
    validation: sides.validation.map((row, place) => plainRow(row, hidesIds ? `v${place + 1}` : row.id)),
    ...(distil !== undefined && distilMembers(distil)),
  }
  return {
    document: encodeFitDocument(document),
    heldIds: held.map(({ id }) => id),
    validationIds: sides.validation.map(({ id }) => id),
  }
}

/** Token ids as lists, which JSON writes as such. */
function plainRow(row: FitRow, id: string): FitRow {
  const { weight } = row
  const prompt = Array.from(row.prompt)
  if ('rejected' in row) {
    return { id, prompt, chosen: Array.from(row.chosen), rejected: Array.from(row.rejected), weight }
  }
  const answer = Array.from(row.answer)
  return 'isDesirable' in row
    ? { id, prompt, answer, isDesirable: row.isDesirable, weight }
    : { id, prompt, answer, weight }
}

function factsOf(rows: readonly FitRow[], config: ModelConfig): FitFacts {
  const tokens = rows.reduce(
    (sum, row) => sum + unitOf(row).sequences.reduce((each, sequence) => each + computedLength(sequence), 0),
    0,
  )
  return { rows: rows.length, tokens, contextLength: config.contextLength, hiddenSize: config.hiddenSize }
}

function longestAnswer(train: readonly Row[], encoder: PromptEncoder): number {
  return train.reduce((longest, { output }) => Math.max(longest, encoder.answer(output).length), 1)
}

function recipeOf(
  { base }: PrepareFitInput,
  config: ModelConfig,
  form: AnswerForm,
  { prompt, answerTokens }: Pick<LoraRecipe, 'prompt'> & { readonly answerTokens: number },
): LoraRecipe {
  const roomy = Math.ceil(answerTokens * ANSWER_HEADROOM) + ANSWER_SLACK_TOKENS
  return {
    spec: 'svc-lora-1',
    base: {
      name: base.name,
      weights_hash: base.weightsHash,
      architecture: config.architecture,
      parameters: countParameters(config),
    },
    prompt,
    ...form,
    max_new_tokens: Math.max(1, Math.min(roomy, config.contextLength >> 1)),
    stop: [],
    abstain_below: null,
  }
}
