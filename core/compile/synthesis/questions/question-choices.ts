import { z } from 'zod'
import type { JsonObject } from '../../../kernel/json/json.ts'

/** Maximum number of questions of a compile, and how long each one waits. */
export interface QuestionChoices {
  readonly max: number
  readonly waitS: number
}

const Stored = z.object({ questions: z.object({ max: z.int(), wait: z.int() }).optional() })

/** Returns the choices stored with a job; a job without them asks nothing. */
export function readQuestions(spec: JsonObject): QuestionChoices {
  const { questions } = Stored.parse(spec)
  return { max: questions?.max ?? 0, waitS: questions?.wait ?? 0 }
}
