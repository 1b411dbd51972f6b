import { invalidField } from '../../../kernel/errors.ts'
import { COMPILE_ERRORS } from '../../errors.ts'
import type { IntakeBounds } from './bounds.ts'
import type { Example } from './example.ts'
import { checkJson, checkSize } from './json-bounds.ts'
import { KeyTable, shortHash } from './census/key-table.ts'

const MAX_ID_CHARS = 128
/** Names that a member may have, the first one present counts. */
const INPUT_NAMES = ['input', 'prompt'] as const
/** Names of the output of an example. */
export const OUTPUT_NAMES = ['output', 'expected', 'completion'] as const
const WRONG_OUTPUT_NAMES = ['expected_not', 'output', 'expected'] as const

/** Turns given values into examples; remembers ids and the number of examples over a whole dataset. */
export interface ExampleParser {
  /** Throws `DomainError` with the field that is wrong. */
  parse(value: unknown, field: string): Example
}

/** Returns true for an object that is no list. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function pick(
  value: Readonly<Record<string, unknown>>,
  names: readonly string[],
): { name: string; found: unknown } | null {
  const name = names.find((one) => Object.hasOwn(value, one) && value[one] !== undefined)
  return name === undefined ? null : { name, found: value[name] }
}

/** Returns whether an example names its id; one without gets that of its position. */
export function hasId(value: unknown): boolean {
  return isObject(value) && value['id'] !== undefined && value['id'] !== null
}

function parseId(value: unknown, position: number, field: string): string {
  if (value === undefined || value === null) return `row_${position}`
  const id = typeof value === 'number' && Number.isFinite(value) ? String(value) : value
  if (typeof id !== 'string' || id === '' || id.length > MAX_ID_CHARS || !id.isWellFormed()) {
    throw invalidField(`${field}.id`, `must be a text of 1 to ${MAX_ID_CHARS} characters`)
  }
  return id
}

/**
 * A parser of examples within bounds. An example without an id gets one of its position; with `unnamed: 'apart'` that id
 * may be that of a named example, and the caller gives it another.
 */
export function createExampleParser(
  bounds: IntakeBounds,
  { unnamed }: { readonly unnamed?: 'apart' } = {},
): ExampleParser {
  const ids = new KeyTable()
  let position = 0
  let unlabelled = 0
  return {
    parse(value, field) {
      position++
      if (position > bounds.maxRows) {
        throw COMPILE_ERRORS.too_many_examples(`more than ${bounds.maxRows} examples`, {
          details: {
            fields: [{ field, message: `at most ${bounds.maxRows} examples are allowed` }],
            max: bounds.maxRows,
          },
        })
      }
      if (!isObject(value)) throw invalidField(field, 'must be an object with input and output')
      const kind = value['kind'] ?? 'positive'
      if (kind !== 'positive' && kind !== 'test' && kind !== 'negative' && kind !== 'unlabelled')
        throw invalidField(`${field}.kind`, "must be 'positive', 'test', 'negative' or 'unlabelled'")
      const id = parseId(value['id'], position, field)
      const given = pick(value, INPUT_NAMES)
      if (given === null || given.found === null)
        throw invalidField(`${field}.input`, 'is missing; add it, or remove the row')
      const input = checkJson(given.found, `${field}.${given.name}`, bounds.jsonDepth)
      const claimId = (): void => {
        if (unnamed === 'apart' && !hasId(value)) return
        if (ids.put(shortHash(id), 0).earlierTag !== null)
          throw invalidField(`${field}.id`, `${id} is the id of an earlier example`)
      }
      if (kind === 'unlabelled') {
        if (++unlabelled > bounds.maxUnlabelled) {
          throw invalidField(
            field,
            `more than ${bounds.maxUnlabelled} inputs without an output`,
            COMPILE_ERRORS.too_many_examples,
          )
        }
        checkSize([input], field, bounds)
        claimId()
        return { kind, unlabelled: { id, input }, field: `${field}.${given.name}` }
      }
      const answer = pick(value, kind === 'negative' ? WRONG_OUTPUT_NAMES : OUTPUT_NAMES)
      if (answer === null) {
        const member = kind === 'negative' ? 'expected_not' : 'output'
        const remedy = kind === 'negative' ? '' : "; add it, or mark the row with `kind: 'unlabelled'`"
        throw invalidField(`${field}.${member}`, `is missing${remedy}`)
      }
      const output = checkJson(answer.found, `${field}.${answer.name}`, bounds.jsonDepth)
      checkSize([input, output], field, bounds)
      claimId()
      if (kind === 'negative') return { kind, negative: { id, input, notOutput: output } }
      return { kind: 'positive', row: { id, input, output, ...(kind === 'test' ? { kind } : {}) } }
    },
  }
}
