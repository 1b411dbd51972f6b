import {
  groundingText,
  MOST_GROUNDING_QUERY_CHARS,
  MOST_PASSAGES,
  type Passage,
} from '../../../../core/compile/documents/grounding.ts'
import type { Row } from '../../../../core/compile/rows/task.ts'
import type { TeacherGrounding } from '../../../../core/compile/stages/teacher/teacher-types.ts'
import type { Json, JsonObject } from '../../../../core/kernel/json/json.ts'
import type { Recall } from '../../../../db/compile/documents/recall/recall.ts'
import type { Operation } from '../../../../db/kernel/operation.ts'

/** Returns text of passages about a query for a prompt; empty where there are none. */
export type Ground = (query: string) => Promise<string>

/**
 * Grounds the prompts of a job in the documents of its `corpus_namespace`; a job without one, or without documents, gets
 * none. Passages with both input and output of a row that scores the teacher are left out. `facts` tells how many passages
 * the prompts have had.
 */
export function groundTeacher(
  { recall }: { readonly recall: Recall },
  op: Operation,
  { spec, evaluated }: { readonly spec: JsonObject; readonly evaluated: readonly Row[] },
): { readonly ground: Ground; readonly facts: () => TeacherGrounding | null } {
  const namespace = spec['corpus_namespace']
  let passages = 0
  if (typeof namespace !== 'string') return { ground: async () => '', facts: () => null }
  const scored = evaluated.map(({ input, output }) => [textOf(input), textOf(output)] as const)
  const tells = ({ text }: Passage): boolean =>
    scored.some(([input, output]) => text.includes(input) && text.includes(output))
  return {
    async ground(query) {
      const { chunks } = await recall.find(op, { namespace, query, k: MOST_PASSAGES })
      const shown = chunks.filter((chunk) => !tells(chunk))
      passages += shown.length
      return groundingText(shown)
    },
    facts: () => (passages === 0 ? null : { namespace, passages }),
  }
}

/** Returns the text that passages about an input are looked up by. */
export function groundingQuery(input: Json): string {
  return textOf(input).slice(0, MOST_GROUNDING_QUERY_CHARS)
}

function textOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
