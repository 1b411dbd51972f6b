import { canonicalJson, type Json } from '../../../kernel/json/json.ts'
import type { TaskRow } from './encode-rows.ts'

/** A teacher's answers to one input, sampled k times. */
export interface TeacherAnswers {
  readonly id: string
  readonly input: Json
  /** One entry for each sample that could be read. */
  readonly outputs: readonly Json[]
}

/**
 * Rows for `distillation`: each different output of an input once, weighted by the share of the samples that gave it.
 * The weights of an input sum to 1, so the loss is the cross-entropy to the teacher's own distribution over whole
 * answers, as far as k samples show it (sequence-level distillation: Kim and Rush, "Sequence-Level Knowledge
 * Distillation", 2016). Outputs with a share below `leastShare` are left out before the shares are taken.
 */
export function distillationRows(teacher: readonly TeacherAnswers[], leastShare = 0): readonly TaskRow[] {
  return teacher.flatMap(({ id, input, outputs }) => {
    const groups = new Map<string, { readonly output: Json; count: number }>()
    for (const output of outputs) {
      const key = canonicalJson(output)
      const group = groups.get(key) ?? { output, count: 0 }
      group.count++
      groups.set(key, group)
    }
    const kept = [...groups.values()].filter(({ count }) => count / outputs.length >= leastShare)
    const total = kept.reduce((sum, { count }) => sum + count, 0)
    return kept.map(({ output, count }, index) => ({
      id: kept.length === 1 ? id : `${id}#${index + 1}`,
      input,
      output,
      weight: count / total,
    }))
  })
}
