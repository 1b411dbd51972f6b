/** The sizes of one training graph. A graph and its session are built for each bucket, so there should be few. */
export interface Bucket {
  /** Bins into which rows are packed. */
  readonly bins: number
  /** Tokens of each bin. */
  readonly length: number
  /** Positions whose next token is scored, padding included. */
  readonly answers: number
}

/** Rows packed into the bins of one bucket. Padding of the answers has weight 0. */
export interface Batch {
  readonly bucket: Bucket
  /** [bins·length]; padding is any token of the vocabulary. */
  readonly tokens: BigInt64Array
  /** [bins·length]: place of each token within its own row, from 0. */
  readonly positions: BigInt64Array
  /** [bins·length]: number of the row within its bin; padding has a number that no row has. */
  readonly segments: BigInt64Array
  /** [answers]: bin·length + place of the token after which the target comes. */
  readonly answerPositions: BigInt64Array
  /** [answers]: the token that should come next. */
  readonly targets: BigInt64Array
  /** [answers]: factor of minus the score of the target in the loss; any sign. */
  readonly weights: Float32Array
  /** The distributions of a teacher, for graphs that score by their divergence. */
  readonly teacher?: TeacherFeed
}

/** A teacher's distributions at the answers of a batch, in the forms of `TeacherForm`; those of padding count nothing. */
export type TeacherFeed =
  /** [answers, hidden size of the teacher] */
  | { readonly form: 'hidden'; readonly states: Float32Array }
  /** [answers, vocabulary] */
  | { readonly form: 'logits'; readonly logits: Float32Array }
  /** [answers, k], and [answers, k + 1] with the log-probability of all other tokens last. */
  | { readonly form: 'top'; readonly ids: BigInt64Array; readonly logProbs: Float32Array }

/** Names of the graphs' inputs and outputs beside weights and gradients. */
export const NAMES = {
  tokens: 'tokens',
  positions: 'positions',
  segments: 'segments',
  answerPositions: 'answer_positions',
  targets: 'targets',
  answerWeights: 'answer_weights',
  hidden: 'hidden',
  hiddenOut: 'hidden_out',
  outputGradient: 'output_gradient',
  loss: 'loss',
  scores: 'scores',
  teacherStates: 'teacher_states',
  teacherLogits: 'teacher_logits',
  teacherIds: 'teacher_ids',
} as const

/** Name of the output that holds a parameter's gradient. */
export function gradientName(parameter: string): string {
  return `gradient:${parameter}`
}
