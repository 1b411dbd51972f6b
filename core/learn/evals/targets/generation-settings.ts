import { createHash } from 'node:crypto'
import type { TaskConfig } from '../task/task-config.ts'

/** Settings of the generation of an answer. */
export interface GenerationSettings {
  readonly until: readonly string[]
  readonly maxTokens: number
  /** 0 always takes the likeliest token. */
  readonly temperature: number
  readonly topP: number
  readonly topK: number
}

const MAX_TOKENS = 256

/** Returns the settings of a task's `generation_kwargs`, with the defaults of lm-evaluation-harness 0.4.13. */
export function settingsOf({ generation_kwargs: given, fewshot_delimiter: delimiter }: TaskConfig): GenerationSettings {
  const until = given?.until ?? [delimiter]
  const temperature = given?.temperature ?? (given?.do_sample === true ? 1 : 0)
  return {
    until: (typeof until === 'string' ? [until] : until).filter((text) => text !== ''),
    maxTokens: given?.max_gen_toks ?? given?.max_new_tokens ?? given?.max_tokens ?? MAX_TOKENS,
    temperature: given?.do_sample === false ? 0 : temperature,
    topP: given?.top_p ?? 1,
    topK: given?.top_k ?? 0,
  }
}

/** Returns a text up to the first stop text in it, each looked for in turn. */
export function beforeStop(text: string, until: readonly string[]): string {
  return until.reduce((left, stop) => left.split(stop, 1)[0] ?? '', text)
}

/** Returns the seed of one answer: the same for the same evaluation seed, row and repeat. */
export function seedOf(seed: number, row: { readonly task: string; readonly docId: number }, repeat: number): number {
  const digest = createHash('sha256').update(`${seed}\u0000${row.task}\u0000${row.docId}\u0000${repeat}`).digest()
  return digest.readUIntBE(0, 6)
}
