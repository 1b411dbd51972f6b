import { canonicalJson, isJsonObject, type Json } from '../../../../kernel/json/json.ts'
import { readAnswer } from '../answer-text.ts'
import type { SampleOutcome, TeacherSample } from '../teacher-types.ts'

/** Share of the samples that must agree. */
export const ACCEPTED_SHARE = 0.7

/** The answer on which most samples agree, and the outcome of each sample. */
export interface Vote {
  readonly output: Json
  /** Share of this answer among all requested samples: unreadable and missing samples count against it. */
  readonly share: number
  readonly outcomes: readonly SampleOutcome[]
}

/** The output in an answer `{"answer": ...}`; undefined when there is none. */
export function readLabel(text: string): Json | undefined {
  const answer = readAnswer(text)
  if (!answer.ok || !isJsonObject(answer.value) || !Object.hasOwn(answer.value, 'answer')) return undefined
  return answer.value.answer
}

/**
 * Self-consistency (Wang et al., ICLR 2023): the most frequent answer by canonical JSON, of two equally frequent ones
 * the one that came first by ordinal.
 */
export function vote(samples: readonly Pick<TeacherSample, 'text' | 'finish'>[], asked: number): Vote {
  const read = samples.map(({ text, finish }) => {
    if (finish === 'refusal') return { outcome: 'refused' as const }
    const output = readLabel(text)
    if (output === undefined) return { outcome: finish === 'length' ? ('cut_off' as const) : ('unreadable' as const) }
    return { outcome: null, output, key: canonicalJson(output) }
  })
  const counts = new Map<string, { readonly output: Json; readonly count: number }>()
  for (const one of read) {
    if (one.outcome !== null) continue
    counts.set(one.key, { output: one.output, count: (counts.get(one.key)?.count ?? 0) + 1 })
  }
  let best: { readonly key: string | null; readonly output: Json; readonly count: number } = {
    key: null,
    output: null,
    count: 0,
  }
  for (const [key, { output, count }] of counts) if (count > best.count) best = { key, output, count }
  return {
    output: best.output,
    share: Number((best.count / Math.max(1, asked)).toFixed(4)),
    outcomes: read.map((one) => one.outcome ?? (one.key === best.key ? 'majority' : 'minority')),
  }
}
