import { DATE_NAMES } from '../../../language/primitives/dates/reading/date-names.ts'
import type { Uses } from '../writing/uses.ts'
import { helperSlices } from './helper-slices.ts'
import { tsLiteral } from './strings.ts'

const JSON_TYPES = [
  'type Json = null | boolean | number | string | readonly Json[] | { readonly [member: string]: Json }',
  'type JsonObject = { readonly [member: string]: Json }',
]

/** A function with its documentation. */
export interface TsFunction {
  readonly task: string
  /** Parameters and errors. */
  readonly notes: string
  /** Lines of an example each. */
  readonly examples: readonly (readonly string[])[]
  readonly head: string
  readonly body: readonly string[]
}

/** Writes a function as a TypeScript module, with the constants, types and helpers that it uses. */
export function tsFile({ task, notes, examples, head, body }: TsFunction, uses: Uses): string {
  const main = [...comment(task, notes, examples), head, ...body, '}'].join('\n')
  const constants = [...uses.constants].map(
    ([constant, code]) => `const ${constant} =${code.startsWith('\n') ? '' : ' '}${code}`,
  )
  // Callers tell `NoAnswer` from other errors.
  const helpers = helpersOf([main, ...constants].join('\n'), uses).map((helper) =>
    helper.replace(/^class NoAnswer /m, 'export class NoAnswer '),
  )
  const code = [main, ...constants, ...helpers].join('\n')
  const types = JSON_TYPES.filter((type) => new RegExp(`\\b${/^type (\w+)/.exec(type)?.[1] ?? ''}\\b`).test(code))
  if (types.length === 1 && types[0]?.startsWith('type JsonObject')) types.unshift(JSON_TYPES[0] ?? '')
  return `${[constants.join('\n'), main, types.join('\n'), ...helpers].filter((section) => section !== '').join('\n\n')}\n`
}

/** Tests for kinds of values in a program without dates. */
const WITHOUT_DATES: ReadonlyMap<string, string> = new Map([
  [
    'kindOf',
    `function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (typeof value === 'string') return 'text'
  if (typeof value !== 'object') return typeof value
  return Array.isArray(value) ? 'list' : 'object'
}`,
  ],
  [
    'Kinds',
    `interface Kinds {
  null: null
  boolean: boolean
  number: number
  text: string
  list: readonly Json[]
  object: JsonObject
}`,
  ],
])

function helpersOf(code: string, uses: Uses): readonly string[] {
  const isDated = /\bCivilDate\b|'date'/.test(code)
  const names = dateNames(uses)
  if (!isDated) {
    const found = helperSlices(uses.helpers, new Map([...names, ...WITHOUT_DATES]))
    if (!found.some((slice) => slice.includes('class CivilDate'))) return found
  }
  return helperSlices([...uses.helpers, ...(isDated ? ['CivilDate'] : [])], names)
}

/** The names of dates in the locales that the program reads. */
function dateNames(uses: Uses): ReadonlyMap<string, string> {
  const wanted = uses.tables.get('DATE_NAMES')
  if (wanted === undefined || wanted.has('*')) return new Map()
  const lines = Object.entries(DATE_NAMES).flatMap(([locale, names]) =>
    wanted.has(locale) ? [`  ${locale}: ${tsLiteral({ ...names })},\n`] : [],
  )
  return new Map([
    ['DATE_NAMES', `const DATE_NAMES = {\n${lines.join('')}} as const satisfies Readonly<Record<string, LocaleNames>>`],
  ])
}

function comment(task: string, notes: string, examples: readonly (readonly string[])[]): string[] {
  const text = task.replaceAll(/\s+/g, ' ').trim()
  const first = text === '' ? 'Answers as the recipe of the artifact does.' : text
  const lines = [first, '', notes, ...examples.flatMap((example) => ['', '@example', ...example])]
  return ['/**', ...lines.map((line) => ` * ${line.replaceAll('*/', '*\\/')}`.trimEnd()), ' */']
}
