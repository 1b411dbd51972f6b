import { LANGUAGE, LANGUAGE_2, type Language } from '../../../../core/compile/language/ast.ts'
import type { AnyOperator } from '../../../../core/compile/language/operators/entry.ts'
import { CHAR_SET, type Fields, type FieldSpec } from '../../../../core/compile/language/operators/fields.ts'
import { PATTERNS } from '../../../../core/compile/language/operators/patterns.ts'
import { POSITIONS } from '../../../../core/compile/language/operators/positions.ts'
import { OPERATOR_GROUPS, OPERATORS } from '../../../../core/compile/language/operators/table.ts'
import { type Unit, UNITS } from '../../../../core/compile/language/primitives/numbers/units.ts'
import { typeSetName } from '../../../../core/compile/language/value-types.ts'
import { languageOfJson } from '../../../../core/compile/language/versions.ts'

function fieldType(spec: FieldSpec): string {
  switch (spec.kind) {
    case 'expr':
      return typeSetName(spec.accepts)
    case 'exprs':
      return `list of ${typeSetName(spec.accepts)}${spec.min === 0 ? '' : ', 1 or more'}`
    case 'pos':
      return 'Pos'
    case 'pattern':
      return 'Pattern'
    case 'charSet':
      return 'CharSet'
    case 'integer':
      return `\`${spec.min}..${spec.max}\`${spec.nonZero === true ? ' but 0' : ''}`
    case 'string':
      return `\`"…"\` of ${spec.min} to ${spec.max}`
    case 'choice':
      return spec.values.map((value) => `\`"${value}"\``).join(' ')
    case 'flag':
      return '`true` `false`'
    case 'json':
      return 'any JSON'
    case 'scalar':
      return 'null, boolean, number or text'
    case 'name':
      return 'Name'
    case 'strings':
      return `list of ${spec.values === undefined ? '`"…"`' : spec.values.map((value) => `\`"${value}"\``).join(' ')}`
    case 'steps':
      return 'list of `"…"` and integers, 1 or more'
    case 'regex':
      return 'Regex'
    case 'datePattern':
      return spec.isRead ? 'DatePattern (to read)' : 'DatePattern'
    case 'records':
      return `list of {${fieldList(spec.fields)}}${spec.min === 0 ? '' : ', 1 or more'}`
  }
}

function fieldList(fields: Fields): string {
  return Object.entries(fields)
    .map(([name, spec]) => `\`${name}${spec.optional === true ? '?' : ''}\`: ${fieldType(spec)}`)
    .join('; ')
}

function resultName({ result }: AnyOperator): string {
  return typeof result === 'number' ? typeSetName(result) : `that of ${result.map((name) => `\`${name}\``).join(', ')}`
}

type Shapes = Readonly<Record<string, { readonly fields: Fields }>>

function shapeRows(shapes: Shapes): readonly string[] {
  return Object.entries(shapes).map(([tag, { fields }]) => `| \`${tag}\` | ${fieldList(fields)} |`)
}

function operatorRows(group: Readonly<Record<string, AnyOperator>>): readonly string[] {
  return Object.entries(group).map(
    ([op, entry]) => `| \`${op}\` | ${fieldList(entry.fields)} | ${resultName(entry)} | ${entry.meaning} |`,
  )
}

/** Rows of the page's tables by the first cell of their heads, in the order in which the tables stand. */
function tablesOf(): ReadonlyMap<string, (readonly string[])[]> {
  return new Map([
    ['Operator', Object.values<Readonly<Record<string, AnyOperator>>>(OPERATOR_GROUPS).map(operatorRows)],
    ['Position', [shapeRows(POSITIONS)]],
    ['Pattern', [shapeRows(PATTERNS)]],
    ['Set', [shapeRows({ CharSet: { fields: CHAR_SET } })]],
  ])
}

/** Returns the page with its tables made again out of the entries. Everything else stays. */
export function documentOf(page: string): string {
  const tables = tablesOf()
  const out = page.replaceAll(
    /^(\| (\w+) \| Fields \|.*\n\|[ -|]*\n)(?:\|.*\n)*/gm,
    (_table, head: string, name: string) => {
      const rows = tables.get(name)?.shift()
      if (rows === undefined) throw new Error(`the page has a table more of: ${name}`)
      return head + rows.map((row) => `${row}\n`).join('')
    },
  )
  const left = [...tables].flatMap(([name, rows]) => rows.map(() => name))
  if (left.length > 0) throw new Error(`the page lacks tables of: ${left.join(', ')}`)
  return out
}

/** The published examples of an operator, one JSON object a line. */
export function vectorLines(entry: AnyOperator): readonly string[] {
  return entry.vectors
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

/** Returns the published vectors of what a version of the language adds. */
export function vectorFile(language: Language): string {
  const lines = Object.values<AnyOperator>(OPERATORS)
    .flatMap(vectorLines)
    .filter((line) => languageOfJson(JSON.parse(line).body) === language)
  return `{\n  "language": ${JSON.stringify(language)},\n  "vectors": [\n    ${lines.join(',\n    ')}\n  ]\n}\n`
}

const DOCS = new URL('../../../../docs/formats/', import.meta.url)

/** The page of the language. */
export const PAGE = new URL('recipe-language.md', DOCS)

/** The files of vectors, by the version of the language. */
export const VECTOR_FILES: readonly { readonly language: Language; readonly file: URL }[] = [
  { language: LANGUAGE, file: new URL('vectors/recipe-language.json', DOCS) },
  { language: LANGUAGE_2, file: new URL('vectors/recipe-language-2.json', DOCS) },
]

/** The file of units. */
export const UNITS_FILE = new URL('units.json', DOCS)

/** Returns the published units, one a line. */
export function unitsFile(): string {
  const lines = Object.entries<Unit>(UNITS).map(
    ([name, unit]) => `    ${JSON.stringify(name)}: ${JSON.stringify(unit)}`,
  )
  return `{\n  "units": {\n${lines.join(',\n')}\n  }\n}\n`
}
