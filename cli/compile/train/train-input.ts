import { readFile, stat } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { DomainError } from '../../../core/kernel/errors.ts'
import { MODEL_ERRORS } from '../../../core/model/errors.ts'
import { openBaseModel, type OpenedBase } from '../../../core/model/files/base-model.ts'
import type { Truncation } from '../../../core/model/training/data/encode-rows.ts'
import { encodeTaskRows, readTaskRows, type TaskRows } from '../../../core/model/training/data/task-rows.ts'
import type { FitInput } from '../../../core/model/training/fit/fit-types.ts'
import { planFit } from '../../../core/model/training/fit/plan-fit.ts'
import {
  defaultHyperparameters,
  defaultMaxLength,
  parseHyperparameters,
  type Hyperparameters,
} from '../../../core/model/training/hyperparameters.ts'
import { createPromptEncoder, promptFormatFor, type PromptFormat } from '../../../core/model/training/prompt.ts'
import { countTokens } from '../../../core/model/training/rows.ts'
import { decodeUtf8 } from '../../../core/kernel/json/utf8.ts'
import { CliError, usageError } from '../../cli-error.ts'
import { EXIT } from '../../exit-codes.ts'
import type { TrainFlags } from './train-flags.ts'
import { objectiveOf, openTeacher } from './train-objective.ts'

const MIB = 2 ** 20
/** Default share of the free memory for a fit. */
const FREE_SHARE = 0.8
const MOST_THREADS = 8

/** Inputs of a fit from the options, and the facts of the rows for its record. */
export interface TrainInput {
  readonly fit: FitInput
  readonly promptFormat: PromptFormat
  readonly truncated: readonly Truncation[]
}

/**
 * Reads base, rows and checkpoint and checks them, before anything is computed. Throws `CliError` for wrong files,
 * rows and options.
 */
export async function readTrainInput(flags: TrainFlags): Promise<TrainInput> {
  if ((await stat(flags.base).catch(() => undefined))?.isDirectory() !== true) {
    throw usageError(`${flags.base} is not a folder`)
  }
  const budget = flags.memoryMib === undefined ? process.availableMemory() * FREE_SHARE : flags.memoryMib * MIB
  const text = await readBytes(flags.data)
  const checkpoint = flags.resume === undefined ? undefined : await readBytes(flags.resume)
  const task = asWrongInput(() => readTaskRows(decodeUtf8(text, flags.data), flags.objective))
  const teacher = await openTeacher(flags)
  const opened = await openBaseModel(flags.base)
  return asWrongInput(() => {
    const { rows, truncated, promptFormat, hyperparameters } = prepare(task, opened, flags)
    const fit: FitInput = {
      base: opened.model,
      rows,
      hyperparameters,
      ...(teacher !== undefined && { teacher }),
      memoryBudgetBytes: Math.floor(budget),
      threads: flags.threads ?? Math.min(MOST_THREADS, availableParallelism()),
      ...(checkpoint !== undefined && { checkpoint }),
      ...(flags.checkpointSeconds !== undefined && { checkpointEverySeconds: flags.checkpointSeconds }),
    }
    planFit(fit)
    return { fit, promptFormat, truncated }
  })
}

function prepare(task: TaskRows, opened: OpenedBase, flags: TrainFlags) {
  const { tokenizer, chatTemplate } = opened
  const { contextLength, hiddenSize, eosTokenIds } = opened.model.config
  const [endTokenId] = eosTokenIds
  if (endTokenId === undefined) throw MODEL_ERRORS.invalid_model('the base defines no token that ends an answer')
  const promptFormat = promptFormatFor(opened, flags.instruction ?? null)
  const encoder = createPromptEncoder(promptFormat, { tokenizer, chatTemplate, endTokenId })
  const maxLength = Math.min(flags.maxLength ?? defaultMaxLength(contextLength), contextLength)
  const { rows, truncated } = encodeTaskRows(task, encoder, maxLength)
  const facts = { rows: rows.length, tokens: countTokens(rows), contextLength, hiddenSize }
  const hyperparameters = parseHyperparameters(
    defaultHyperparameters(facts, flags.objective, { ...overridesOf(flags), maxLength }),
  )
  return { rows, truncated, promptFormat, hyperparameters }
}

function overridesOf(flags: TrainFlags): Partial<Hyperparameters> {
  const { rank, epochs, maxSteps, learningRate, batchTokens, validationShare, seed } = flags
  const objective = objectiveOf(flags)
  const alpha = flags.alpha ?? (rank === undefined ? undefined : 2 * rank)
  const given = { objective, rank, alpha, epochs, maxSteps, learningRate, batchTokens, validationShare, seed }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}

/** Reports rows and options that the service would refuse as wrong input of the user. */
function asWrongInput<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof DomainError) || MODEL_ERRORS.base_does_not_fit.matches(error)) throw error
    const { message, code, details } = error
    throw new CliError(message, { exitCode: EXIT.usage, code, details, cause: error })
  }
}

async function readBytes(file: string): Promise<Uint8Array> {
  return await readFile(file).catch((error: unknown) => {
    throw usageError(`cannot read ${file}`, error)
  })
}
