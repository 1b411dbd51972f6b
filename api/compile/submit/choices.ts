import {
  DEFAULT_BASE,
  hyperparameterOverrides,
  isFittedElsewhere,
  needsNegatives,
  NO_BASE,
  objectiveOf,
  type Fitter,
} from '../../../core/compile/stages/lora/lora-options.ts'
import type { AdapterPlan } from '../../../core/compile/stages/lora/estimate-fit.ts'
import { tooFew } from '../../../core/compile/stages/lora/training-rows.ts'
import { COMPILE_ERRORS, type ErrorCode } from '../../../core/compile/errors.ts'
import { invalidField, type DomainError } from '../../../core/kernel/errors.ts'
import { MODEL_ERRORS } from '../../../core/model/errors.ts'
import { findBase, listBases } from '../../../core/model/files/find-base.ts'
import { inspectBase, readBaseConfig } from '../../../core/model/files/inspect-base.ts'
import { estimateTrainingBytes } from '../../../core/model/llama/memory-estimate.ts'
import { defaultHyperparameters } from '../../../core/model/training/hyperparameters.ts'
import type { CompileServices } from '../services.ts'
import type { CheckedDataset } from './dataset.ts'
import type { CompileSpec } from '../../../core/compile/wire/jobs/spec.ts'
import { isTrainerListening } from '../../../temporal/trainer.ts'

/** A spec as it is submitted: its adapter may also be fitted on a rented machine. */
export type SubmittedSpec = Omit<CompileSpec, 'trainer'> & { readonly trainer: Fitter }

/** Codes of a choice of base, kind or trainer that cannot be met. */
export const CHOICE_ERRORS = [
  'unknown_base_model',
  'unsupported_architecture',
  'invalid_model',
  'base_does_not_fit',
  'no_trainer_installed',
  'too_few_preferences',
  'workflow_engine_unavailable',
] as const satisfies readonly ErrorCode[]

/** Tokens of a row where nothing is known of the rows: the memory of a fit grows with its longest row. */
const USUAL_ROW_TOKENS = 256
/** With so many tokens the default batches have their full size. */
const MANY_TOKENS = 1_000_000

/**
 * Checks base, kind and trainer before anything is stored, and answers the base of the job. Throws
 * `unknown_base_model` with the known bases, `unsupported_architecture`, `invalid_model`, `base_does_not_fit` with
 * the numbers, `no_trainer_installed`, and `validation_failed` for choices that exclude each other.
 * @param baseField the field by which the caller names the base
 */
export async function checkChoices(
  { settings, limits, temporal }: Pick<CompileServices, 'settings' | 'limits' | 'temporal'>,
  spec: SubmittedSpec,
  now: Date,
  baseField = 'base_model',
): Promise<string> {
  const { base_model: given, recipe_kind: kind, trainer } = spec
  const wantsAdapter = kind === 'lora'
  if (given === NO_BASE && wantsAdapter) throw invalidField(baseField, 'must name a base: an adapter was requested')
  const mayFit = wantsAdapter || (kind === 'auto' && given !== NO_BASE)
  if (trainer !== 'embedded' && !mayFit) {
    const field = isFittedElsewhere(trainer) ? 'recipe_kind' : 'trainer'
    throw invalidField(field, 'leaves nothing to fit: base_model is none, or another kind was requested')
  }
  if (trainer === 'peft' && !(await isTrainerListening(temporal, now))) throw noTrainer()
  if (given === NO_BASE) return NO_BASE
  const name = given ?? DEFAULT_BASE
  // The default is only a wish: where it is not installed, a job without it is gated.
  if (given !== undefined || wantsAdapter) {
    const directory = await findKnown(name, settings.baseFolders, baseField)
    if (mayFit) await checkBase({ name, directory, field: baseField }, spec, limits.trainer_memory_bytes)
  }
  return name
}

/** The fields of a request that decide which adapter may be fitted. */
export type AdapterChoices = Pick<CompileSpec, 'base_model' | 'recipe_kind'>

/**
 * The adapter that a compile may fit; undefined when none is wanted, or the default base is not installed. Throws
 * `unknown_base_model`, `unsupported_architecture`, `invalid_model`.
 */
export async function planAdapter(
  { base_model: given, recipe_kind: kind }: AdapterChoices,
  folders: readonly string[],
): Promise<AdapterPlan | undefined> {
  const isAskedFor = kind === 'lora'
  if (given === NO_BASE || !(isAskedFor || kind === 'auto')) return undefined
  const baseName = given ?? DEFAULT_BASE
  const isKnown = given !== undefined || (await listBases(folders)).some(({ name }) => name === baseName)
  if (!isKnown) return undefined
  return { baseName, config: await readBaseConfig(await findKnown(baseName, folders)), isAskedFor }
}

/** Throws `too_few_preferences` when the objective learns from negatives and there is none. */
export function requireNegatives({ lora }: Pick<CompileSpec, 'lora'>, { negatives }: CheckedDataset): void {
  const objective = lora?.objective ?? 'supervised'
  if (needsNegatives(objective) && negatives === 0) throw tooFew(0, 'examples of kind `negative`')
}

function noTrainer(): DomainError {
  const field = 'trainer'
  const message = 'no trainer `peft` is listening; the operator starts one as workers/trainer/README.md says'
  return COMPILE_ERRORS.no_trainer_installed(message, { details: { fields: [{ field, message }] } })
}

/** Returns the folder of a base. Throws `unknown_base_model` with the known ones. */
export async function findKnown(name: string, folders: readonly string[], field = 'base_model'): Promise<string> {
  try {
    return await findBase(name, folders)
  } catch (cause) {
    if (!MODEL_ERRORS.unknown_base_model.matches(cause)) throw cause
    const known = [NO_BASE, ...(await listBases(folders)).map((base) => base.name)]
    const message = `is no known base model; known: ${known.join(', ')}`
    throw MODEL_ERRORS.unknown_base_model(`${field}: ${message}`, {
      details: { fields: [{ field, message }], known },
      cause,
    })
  }
}

/** Refuses a base that this service cannot compute with, or that leaves no room for its training. */
async function checkBase(
  { name, directory, field }: { readonly name: string; readonly directory: string; readonly field: string },
  spec: SubmittedSpec,
  availableBytes: number,
): Promise<void> {
  const { config } = await inspectBase(directory)
  if (spec.trainer !== 'embedded') return
  const options = spec.lora ?? {}
  const { rank, alpha, targetModules, batchTokens } = defaultHyperparameters(
    { rows: 0, tokens: MANY_TOKENS, contextLength: config.contextLength, hiddenSize: config.hiddenSize },
    objectiveOf(options).kind,
    hyperparameterOverrides(options),
  )
  const length = Math.min(config.contextLength, options.max_length ?? USUAL_ROW_TOKENS)
  const bins = Math.max(1, Math.floor(batchTokens / length))
  const bucket = { bins, length, answers: Math.ceil((bins * length) / 4) }
  const neededBytes = estimateTrainingBytes(config, { mode: 'lora', rank, alpha, targetModules }, [bucket], 'layers')
  if (neededBytes <= availableBytes) return
  const mebibytes = (bytes: number): string => `${Math.ceil(bytes / 2 ** 20)} MiB`
  const message = `training on ${name} needs about ${mebibytes(neededBytes)} of memory, and ${mebibytes(availableBytes)} are available`
  throw MODEL_ERRORS.base_does_not_fit(message, {
    details: { fields: [{ field, message }], neededBytes, availableBytes },
  })
}
