import type { z } from 'zod'
import { fieldPath } from '../../../core/kernel/json/field-path.ts'
import { plainWords } from '../../../core/kernel/wire/plain-words.ts'
import { ERROR_CODES, isErrorCode, type ErrorCode } from '../../../core/errors.ts'
import type { FieldProblem } from '../../../core/kernel/errors.ts'
import { findUnstorable } from './unstorable-text.ts'

/** More problems than this are counted, not listed. */
const LISTED_PROBLEMS = 100

interface Schemas {
  readonly params: z.ZodType | undefined
  readonly query: z.ZodType | undefined
  readonly body: z.ZodType | undefined
}

/** The parts of a call. */
export interface ParsedInput {
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
}

interface Finding extends FieldProblem {
  readonly code: ErrorCode | undefined
}

/**
 * The parts of a call as their schemas parse them; a part without a schema is dropped. Throws one `DomainError` that
 * lists every problem of all parts. Its code is that of the first problem: the one its check names, the one that the
 * route gives for the field, or `validation_failed`. An id in the path that cannot exist is `not_found`, as any id
 * that does not.
 */
export function validateInput(
  schemas: Schemas,
  input: ParsedInput,
  fieldCodes: Readonly<Record<string, ErrorCode>> = {},
): ParsedInput {
  const findings: Finding[] = []
  const params = parsePart(schemas.params, input.params, 'params', fieldCodes, findings)
  const query = parsePart(schemas.query, input.query, 'query', fieldCodes, findings)
  if (typeof query === 'object' && query !== null) {
    findings.push(...findUnstorable(input.query, query).map((problem) => ({ ...problem, code: undefined })))
  }
  const body = parsePart(schemas.body, input.body === undefined ? {} : input.body, 'body', fieldCodes, findings)
  const [first] = findings
  if (!first) return { params, query, body }
  throw ERROR_CODES[first.code ?? 'validation_failed'](summaryOf(findings), {
    details: {
      fields: findings.slice(0, LISTED_PROBLEMS).map(({ field, message }) => ({ field, message })),
      ...(findings.length > LISTED_PROBLEMS && { omitted: findings.length - LISTED_PROBLEMS }),
    },
  })
}

/**
 * A value that is not part of a call, checked the same way: every problem in one `DomainError`, with the paths below
 * `root`.
 */
export function validateValue<T>(schema: z.ZodType<T>, value: unknown, root: string): T {
  const result = schema.safeParse(value, { error: plainWords })
  if (result.success) return result.data
  const findings = result.error.issues.flatMap(perField).map((issue) => {
    return { field: fieldPath(issue.path, root), message: issue.message, code: codeOf(issue) }
  })
  throw ERROR_CODES[findings[0]?.code ?? 'validation_failed'](summaryOf(findings), {
    details: {
      fields: findings.slice(0, LISTED_PROBLEMS).map(({ field: name, message }) => ({ field: name, message })),
    },
  })
}

function parsePart(
  schema: z.ZodType | undefined,
  value: unknown,
  part: 'params' | 'query' | 'body',
  fieldCodes: Readonly<Record<string, ErrorCode>>,
  findings: Finding[],
): unknown {
  if (!schema) return part === 'body' ? undefined : {}
  const result = schema.safeParse(value, { error: plainWords })
  if (result.success) return result.data
  for (const issue of result.error.issues.flatMap(perField)) {
    const field = issue.path.length === 0 ? part : fieldPath(issue.path, 'body')
    const fallback = part === 'params' ? 'not_found' : undefined
    findings.push({
      field,
      message: issue.message,
      code: codeOf(issue) ?? fieldCodes[String(issue.path[0] ?? part)] ?? fallback,
    })
  }
  return undefined
}

/** Returns one problem for each unknown member, named by its own path. */
function perField(issue: z.core.$ZodIssue): readonly z.core.$ZodIssue[] {
  if (issue.code !== 'unrecognized_keys') return [issue]
  return issue.keys.map((key) => ({ ...issue, keys: [key], path: [...issue.path, key], message: 'is not known' }))
}

/** The machine code that a check names for itself: `refine(…, { params: { code: 'unknown_plan' } })`. */
function codeOf(issue: z.core.$ZodIssue): ErrorCode | undefined {
  if (issue.code !== 'custom') return undefined
  const code: unknown = issue.params?.['code']
  return isErrorCode(code) ? code : undefined
}

function summaryOf(findings: readonly Finding[]): string {
  const named = findings.slice(0, 3).map((finding) => `${finding.field}: ${finding.message}`)
  const rest = findings.length - named.length
  return named.join('; ') + (rest > 0 ? `; and ${rest} more` : '')
}
