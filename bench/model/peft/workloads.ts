import { createRandom } from '../../../core/model/random.ts'
import type { TrainingRow } from '../../../core/model/training/rows.ts'

/** The measured workload: rows, and how many tokens a batch has on each side. */
export interface Workload {
  readonly name: string
  readonly rows: readonly TrainingRow[]
}

/** Rows in a batch of PEFT's; the embedded trainer gets as many tokens as they have when they are full. */
export const BATCH_ROWS = 8
/** Tokens that are computed for the longest row. */
export const LENGTH = 128

/** Equal work on both sides: full rows, and every position is an answer. */
export function equalWork(batches: number, vocabulary: number): Workload {
  const ids = tokenSource('equal', vocabulary)
  const rows = Array.from({ length: batches * BATCH_ROWS }, (_, index) => row(index, ids(1), ids(LENGTH)))
  return { name: 'equal work, 8 x 128', rows }
}

/** Typical example sets: 16 to 128 tokens, of which a quarter is the answer. */
export function unevenRows(batches: number, vocabulary: number): Workload {
  const ids = tokenSource('uneven', vocabulary)
  const random = createRandom(1, 'lengths')
  const rows = Array.from({ length: batches * BATCH_ROWS }, (_, index) => {
    const length = 16 + random.below(LENGTH - 16 + 1)
    const answer = Math.round(length / 4)
    return row(index, ids(length + 1 - answer), ids(answer))
  })
  return { name: 'rows of 16..128, a quarter answers', rows }
}

/** Tokens that both sides have to compute. */
export function usefulTokens({ rows }: Workload): number {
  return rows.reduce((sum, { prompt, answer }) => sum + prompt.length + answer.length - 1, 0)
}

function row(index: number, prompt: number[], answer: number[]): TrainingRow {
  return { id: `r${index}`, prompt, answer, weight: 1 }
}

function tokenSource(name: string, vocabulary: number): (count: number) => number[] {
  const random = createRandom(1, name)
  return (count) => Array.from({ length: count }, () => 4 + random.below(vocabulary - 4))
}
