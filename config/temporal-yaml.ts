import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { isNode, LineCounter, parseDocument, type Document } from 'yaml'
import { z } from 'zod'
import { EnvironmentError } from './environment-error.ts'

const UNIT_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

const DurationMs = z
  .string()
  .regex(/^[1-9]\d{0,5}[smhd]$/, 'a duration: a whole number and a unit, such as 10s, 5m, 2h, 7d')
  .transform((text) => {
    const unit = text.slice(-1)
    if (unit !== 's' && unit !== 'm' && unit !== 'h' && unit !== 'd') throw new Error(`unknown unit ${unit}`)
    return Number(text.slice(0, -1)) * UNIT_MS[unit]
  })

const Name = z.string().regex(/^[a-z][a-z0-9-]{0,63}$/, 'a name: lower-case letters, digits and dashes')

const Queue = z.strictObject({
  activities: z.union([z.int().min(1).max(1000), z.literal('cores').transform(() => availableParallelism())], {
    error: 'a whole number from 1 to 1000, or `cores`',
  }),
  workflowTasks: z.int().min(1).max(1000),
})

const Schedule = z
  .strictObject({
    workflow: Name,
    queue: Name,
    every: DurationMs.optional(),
    cron: z.string().min(9).optional(),
    timezone: z.string().default('UTC'),
    overlap: z.enum(['skip', 'buffer-one', 'allow-all']).default('skip'),
    catchup: DurationMs.default(60_000),
    note: z.string().min(1).max(200),
  })
  .refine((schedule) => (schedule.every === undefined) !== (schedule.cron === undefined), {
    error: 'a schedule has either `every` or `cron`',
  })

const TemporalYaml = z
  .strictObject({
    namespace: z.strictObject({
      name: Name,
      retention: DurationMs.refine((ms) => ms >= UNIT_MS.d, { error: 'Temporal keeps runs for one day at least' }),
      description: z.string().default(''),
    }),
    queues: z.record(Name, Queue),
    searchAttributes: z.record(
      z.string().regex(/^Svc[A-Z]\w*$/, 'a search attribute starts with Svc'),
      z.enum(['Keyword', 'Double', 'Int', 'Bool', 'Datetime', 'Text', 'KeywordList']),
    ),
    schedules: z.record(Name, Schedule),
  })
  .superRefine((file, context) => {
    for (const [name, schedule] of Object.entries(file.schedules)) {
      if (file.queues[schedule.queue] !== undefined) continue
      context.addIssue({
        code: 'custom',
        path: ['schedules', name, 'queue'],
        message: `there is no queue named ${schedule.queue}`,
      })
    }
  })

/** temporal.yaml, validated: durations are in milliseconds, `cores` is a number. */
export type TemporalYaml = z.infer<typeof TemporalYaml>
/** One schedule of temporal.yaml. */
export type ScheduleDeclaration = TemporalYaml['schedules'][string]
/** The type of a search attribute. */
export type SearchAttributeKind = TemporalYaml['searchAttributes'][string]

/**
 * Reads and validates temporal.yaml. Throws an `Error` that names the file and, for each problem, its line and
 * column.
 */
export function loadTemporalYaml(path: string): TemporalYaml {
  return parseTemporalYaml(readFileSync(path, 'utf8'), path)
}

/** Validates the text of temporal.yaml; `path` is used only in the error. */
export function parseTemporalYaml(text: string, path: string): TemporalYaml {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines })
  const fail = (problems: readonly (readonly [number, string])[]): never => {
    const named = problems.map(([offset, message]) => {
      const { line, col } = lines.linePos(offset)
      return `${path}:${line}:${col}  ${message}`
    })
    throw new EnvironmentError(`${path} is not valid`, named)
  }
  if (document.errors.length > 0) {
    fail(document.errors.map((error) => [error.pos[0], error.message.split('\n')[0] ?? error.code]))
  }
  const parsed = TemporalYaml.safeParse(document.toJS())
  if (parsed.success) return parsed.data
  return fail(
    parsed.error.issues.map((issue) => [
      offsetOf(document, issue.path),
      `${issue.path.map(String).join('.') || 'the file'}: ${issue.message}`,
    ]),
  )
}

/** Returns the offset of the value at a path; for a missing value, that of the closest enclosing one. */
function offsetOf(document: Document, path: readonly PropertyKey[]): number {
  for (let depth = path.length; depth > 0; depth--) {
    const node = document.getIn(path.slice(0, depth), true)
    if (isNode(node) && node.range) return node.range[0]
  }
  return 0
}
