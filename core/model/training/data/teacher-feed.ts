import type { TeacherFeed } from '../../llama/batch.ts'
import type { Sequence, TeacherTokens } from '../rows.ts'

/** The least that a teacher gives to all tokens that it does not name: the rounding of its probabilities. */
const LEAST_REST = 1e-9

/**
 * The distributions that sequences bring along, one answer token after another; undefined when they bring none. Padding
 * behind them gets some distribution, which counts nothing.
 */
export function teacherFeed(sequences: readonly Sequence[], answers: number): TeacherFeed | undefined {
  const [first] = sequences.flatMap(({ teacher }) => teacher ?? [])
  if (first === undefined) return undefined
  const { k } = first
  if (first.ids === null) {
    const logits = new Float32Array(answers * k)
    fill(sequences, ({ logProbs }, at) => logits.set(logProbs, at * k))
    return { form: 'logits', logits }
  }
  const ids = BigInt64Array.from({ length: answers * k }, (_, i) => BigInt(i % k))
  const logProbs = new Float32Array(answers * (k + 1)).fill(-Math.log(k + 1))
  fill(sequences, (teacher, at, tokens) => {
    for (let token = 0; token < tokens; token++) {
      let sum = 0
      for (let i = 0; i < k; i++) {
        const logProb = teacher.logProbs[token * k + i] ?? 0
        ids[(at + token) * k + i] = BigInt(teacher.ids?.[token * k + i] ?? 0)
        logProbs[(at + token) * (k + 1) + i] = logProb
        sum += Math.exp(logProb)
      }
      logProbs[(at + token) * (k + 1) + k] = Math.log(Math.max(1 - sum, LEAST_REST))
    }
  })
  return { form: 'top', ids, logProbs }
}

function fill(
  sequences: readonly Sequence[],
  write: (teacher: TeacherTokens, at: number, tokens: number) => void,
): void {
  let at = 0
  for (const { answer, teacher } of sequences) {
    if (teacher !== undefined) write(teacher, at, answer.length)
    at += answer.length
  }
}
