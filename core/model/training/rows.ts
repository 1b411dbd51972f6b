/** Token ids of a text. */
export type TokenIds = ArrayLike<number>

/** A prompt with the answer to learn. The objectives `supervised`, `distillation` and `gkd`, and full training, take such rows. */
export interface TrainingRow {
  readonly id: string
  /** At least one token: the first token of a sequence is never predicted. */
  readonly prompt: TokenIds
  /** Ends with the token that ends a generation. */
  readonly answer: TokenIds
  /** Weight of the row relative to the others; 1 is usual. */
  readonly weight: number
}

/** A prompt with a better and a worse answer, for `dpo`, `simpo` and `orpo`. */
export interface PairRow {
  readonly id: string
  readonly prompt: TokenIds
  readonly chosen: TokenIds
  readonly rejected: TokenIds
  readonly weight: number
}

/** A prompt with an answer and its label, desirable or not, for `kto`. */
export interface LabelledRow {
  readonly id: string
  readonly prompt: TokenIds
  readonly answer: TokenIds
  readonly isDesirable: boolean
  readonly weight: number
}

/** A teacher's distributions at the tokens of an answer. */
export interface TeacherTokens {
  /** Tokens that each distribution names: the whole vocabulary, or the likeliest ones. */
  readonly k: number
  /** [answer · k], different within a distribution; null when it is the whole vocabulary in order. */
  readonly ids: TokenIds | null
  /** [answer · k]; of the whole vocabulary also logits. */
  readonly logProbs: ArrayLike<number>
}

/** A prompt with an answer and the distributions of a teacher at its tokens, for `kd`. */
export interface TaughtRow extends TrainingRow {
  readonly teacher: TeacherTokens
}

/** A row of any objective. */
export type FitRow = TrainingRow | PairRow | LabelledRow | TaughtRow

/** A prompt with one answer, as it is computed. */
export interface Sequence {
  readonly prompt: TokenIds
  readonly answer: TokenIds
  readonly teacher?: TeacherTokens
}

/** The unit of an objective: the sequences of a row are always in the same step. */
export interface Unit {
  readonly id: string
  readonly weight: number
  /** One sequence; of a pair the chosen and then the rejected one. */
  readonly sequences: readonly Sequence[]
  /** False for an undesirable answer; true for all others. */
  readonly isDesirable: boolean
}

/** Returns the number of computed tokens of a sequence. The last token is a target only, so it is not computed. */
export function computedLength({ prompt, answer }: Sequence): number {
  return prompt.length + answer.length - 1
}

/** A row as a unit of its sequences. */
export function unitOf(row: FitRow): Unit {
  const { id, weight, prompt } = row
  if ('rejected' in row) {
    const sequences = [
      { prompt, answer: row.chosen },
      { prompt, answer: row.rejected },
    ]
    return { id, weight, sequences, isDesirable: true }
  }
  const isDesirable = 'isDesirable' in row ? row.isDesirable : true
  const taught = 'teacher' in row ? { teacher: row.teacher } : {}
  return { id, weight, sequences: [{ prompt, answer: row.answer, ...taught }], isDesirable }
}

/** Tokens of all sequences of rows, prompts included. */
export function countTokens(rows: readonly FitRow[]): number {
  let tokens = 0
  for (const row of rows) {
    for (const { prompt, answer } of unitOf(row).sequences) tokens += prompt.length + answer.length
  }
  return tokens
}
