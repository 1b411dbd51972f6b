import { isJsonObject, type Json } from '../../../kernel/json/json.ts'
import { serveTasks } from '../../../kernel/threads/serve-tasks.ts'
import { applyRules } from '../guardrails/apply-rules.ts'
import { detectInjection, NO_VERDICT } from '../guardrails/injection.ts'
import { SENSITIVE_CLASSES } from '../privacy/classes.ts'
import { findIn } from '../privacy/scan/scan-text.ts'
import { mapTexts, visitorOf } from '../privacy/walk.ts'
import type { Looked, LookInput, LookTasks } from './look-task.ts'

const CLASS_NUMBERS = new Map(SENSITIVE_CLASSES.map((kind, number) => [kind, number]))

serveTasks<LookTasks>({ look })

function look({ body: parts, rules, detectsInjection }: LookInput): Looked {
  const body: Json = JSON.parse(Buffer.concat(parts).toString('utf8'))
  if (!isJsonObject(body)) throw new Error('a body is an object')
  const { body: ruled, ...told } = applyRules(body, rules)
  const isBlocked = told.blocked !== null
  return {
    ...told,
    rewritten: ruled === body ? null : JSON.stringify(ruled),
    verdict: detectsInjection && !isBlocked ? detectInjection(body) : NO_VERDICT,
    finds: isBlocked ? new Int32Array() : findAll(ruled),
  }
}

function findAll(body: Parameters<typeof mapTexts>[0]): Int32Array {
  const finds: number[] = []
  let number = 0
  const text = (seen: string): string => {
    for (const { start, end, kind } of findIn(seen)) finds.push(number, start, end, CLASS_NUMBERS.get(kind) ?? 0)
    number++
    return seen
  }
  mapTexts(body, visitorOf(text))
  return Int32Array.from(finds)
}
