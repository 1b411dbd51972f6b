import type { ModelConfig } from '../config/model-config.ts'
import { EMBEDDING, OUTPUT_HEAD } from '../config/weight-names.ts'

/** The scoring of the answer tokens of a batch. The loss is −Σ weight·score. */
export type Scoring =
  /** By the logarithm of the target's probability. */
  | { readonly kind: 'log-prob' }
  /** By minus the divergence of the next token's distribution from a teacher's, see `negativeDivergence`. */
  | {
      readonly kind: 'divergence'
      readonly beta: number
      readonly temperature: number
      readonly teacher: TeacherForm
    }

/** The form in which a batch brings the distributions of its teacher. */
export type TeacherForm =
  /** Normed hidden states, which the graph multiplies by the teacher's head, slice by slice. */
  | { readonly form: 'hidden'; readonly hiddenSize: number }
  /** Logits of the whole vocabulary. */
  | { readonly form: 'logits' }
  /** The k likeliest tokens. */
  | { readonly form: 'top'; readonly k: number }

/** The scoring of ordinary training. */
export const LOG_PROBS: Scoring = { kind: 'log-prob' }

/** Name under which graphs read the head of a teacher. */
export const TEACHER_HEAD = 'teacher.head'

/** Name of the weight that turns hidden states of a base into logits. */
export function headName({ tiedEmbeddings }: Pick<ModelConfig, 'tiedEmbeddings'>): string {
  return tiedEmbeddings ? EMBEDDING : OUTPUT_HEAD
}
