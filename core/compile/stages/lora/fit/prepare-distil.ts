import type { Sha256 } from '../../../../kernel/json/json.ts'
import type { LoraConfig } from '../../../../model/files/lora-adapter.ts'
import { readBaseConfig } from '../../../../model/files/inspect-base.ts'
import type { FitTeacher } from '../../../../model/training/fit/fit-types.ts'
import type { Hyperparameters } from '../../../../model/training/hyperparameters.ts'
import type { PromptFormat } from '../../../../model/training/prompt.ts'
import type { DistilOptions } from './distil-options.ts'
import type { DocumentAdapter, FitDocument } from './fit-document.ts'

/** An adapter of an artifact: its files, its shape and the prompt that it was trained with. */
export interface OpenedAdapter {
  readonly files: DocumentAdapter
  readonly config: LoraConfig
  readonly prompt: PromptFormat
}

/** Student and teacher of a distillation, opened. */
export interface OpenedDistil {
  readonly options: DistilOptions
  /** The adapter that the fit continues; null for a new one. */
  readonly start: OpenedAdapter | null
  readonly teacher: {
    readonly base: { readonly name: string; readonly directory: string; readonly weightsHash: Sha256 }
    readonly adapter: OpenedAdapter | null
  }
}

/** The prompt of a distillation: that of the student's adapter, else that which its teacher knows; null for the base's own. */
export function promptOfDistil({ start, teacher }: OpenedDistil): PromptFormat | null {
  return start?.prompt ?? teacher.adapter?.prompt ?? null
}

/** Passes over the rows that no fit reaches: the number of steps ends it. */
const MOST_EPOCHS = 10_000

/** The hyper-parameters that a distillation decides. */
export function distilOverrides({ options, start }: OpenedDistil): Partial<Hyperparameters> {
  const { beta, lmbda, temperature, max_new_tokens: maxNewTokens, max_steps: maxSteps, warmup, seed } = options
  return {
    objective: { kind: 'gkd', beta, lmbda, temperature, maxNewTokens, warmup },
    epochs: MOST_EPOCHS,
    maxSteps,
    seed,
    ...(start !== null && { ...start.config }),
  }
}

/** Student and teacher as the document of a fit names them. */
export function distilMembers({ start, teacher }: OpenedDistil): Pick<FitDocument, 'teacher' | 'start'> {
  const { name, weightsHash } = teacher.base
  return {
    teacher: { base: { name, weightsHash }, adapter: teacher.adapter?.files ?? null },
    ...(start !== null && { start: start.files }),
  }
}

/** The teacher without its weights, as far as planning a fit needs it. */
export async function plannedTeacher({ teacher }: OpenedDistil): Promise<FitTeacher> {
  const { name, weightsHash, directory } = teacher.base
  return { name, weightsHash, config: await readBaseConfig(directory), weights: new Map(), adapter: null }
}
