/** Classes of teachers by what is known of their weights. */
export const TEACHER_CLASSES = ['open-weights', 'proprietary', 'unknown'] as const
export type TeacherClass = (typeof TEACHER_CLASSES)[number]

/** Prefixes of the names of models whose weights are published. */
const OPEN = [
  'local:',
  'hf:',
  'llama',
  'meta-llama',
  'mistral-7b',
  'mixtral',
  'open-mistral',
  'open-mixtral',
  'qwen',
  'deepseek',
  'gemma',
  'phi-',
  'smollm',
  'yi-',
  'gpt-oss',
  'nano',
] as const

/** Prefixes of the names of models that are only answered by their vendor's API. */
const PROPRIETARY = [
  'gpt-',
  'chatgpt',
  'o1',
  'o3',
  'o4',
  'claude',
  'gemini',
  'grok',
  'command-',
  'mistral-large',
  'mistral-medium',
] as const

/** Risks of training on the answers of a class, by the terms that its vendors usually set. */
const RISKS = { 'open-weights': 'low', proprietary: 'high', unknown: 'unknown' } as const

/** The verdict on the teachers of a set of captures. */
export interface TeacherVerdict {
  readonly teacher_source: TeacherClass
  /** Whether the usual terms of such teachers forbid training on their answers: no legal advice. */
  readonly teacher_source_tos_risk: 'low' | 'high' | 'unknown'
  readonly teacher_source_counts: Readonly<Record<TeacherClass, number>>
  readonly teacher_models: string[]
}

/** Returns the class of a model by the longest prefix of its name, a vendor's name before a slash aside. */
export function classifyTeacher(model: string | null): TeacherClass {
  if (model === null) return 'unknown'
  const name = model.toLowerCase()
  const bare = name.slice(name.lastIndexOf('/') + 1)
  const open = longest(OPEN, name, bare)
  const proprietary = longest(PROPRIETARY, name, bare)
  if (open === 0 && proprietary === 0) return 'unknown'
  return open >= proprietary ? 'open-weights' : 'proprietary'
}

/** Judges the teachers of captures: a single answer of a proprietary one makes the set proprietary. */
export function judgeTeachers(
  models: readonly { readonly model: string | null; readonly count: number }[],
): TeacherVerdict {
  const counts = { 'open-weights': 0, proprietary: 0, unknown: 0 }
  for (const { model, count } of models) counts[classifyTeacher(model)] += count
  const source = counts.proprietary > 0 ? 'proprietary' : counts['open-weights'] > 0 ? 'open-weights' : 'unknown'
  return {
    teacher_source: source,
    teacher_source_tos_risk: RISKS[source],
    teacher_source_counts: counts,
    teacher_models: models.flatMap(({ model }) => (model === null || model === '' ? [] : [model])),
  }
}

function longest(prefixes: readonly string[], ...names: readonly string[]): number {
  return Math.max(
    0,
    ...prefixes.filter((prefix) => names.some((name) => name.startsWith(prefix))).map((prefix) => prefix.length),
  )
}
