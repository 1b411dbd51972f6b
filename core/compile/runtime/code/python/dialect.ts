import {
  BOOLEAN,
  DATE,
  JSON_VALUE,
  LIST,
  NULL,
  NUMBER,
  OBJECT,
  TEXT,
  type TypeSet,
} from '../../../language/value-types.ts'
import { atom } from '../writing/atoms.ts'
import type { Dialect } from '../writing/dialect.ts'
import type { Statement } from '../writing/statements.ts'
import type { Uses } from '../writing/uses.ts'
import { PY_OPERATORS } from './operators/table.ts'
import { PY_PATTERNS } from './patterns.ts'
import { PY_POSITIONS } from './positions.ts'
import { pyLiteral, pyString } from './strings.ts'

const RESERVED = new Set(
  (
    'False None True and as assert async await break class continue def del elif else except finally for from global if import ' +
    'in is lambda nonlocal not or pass raise return try while with match case type print list dict str int float bool len sum min ' +
    'max abs all any map filter sorted set tuple object input format id iter next range repr reversed round zip re math json ' +
    'datetime timedelta timezone calendar unicodedata functools Fraction Decimal isinstance part match member content'
  ).split(' '),
)

const KINDS: readonly (readonly [TypeSet, string])[] = [
  [NULL, 'type(None)'],
  [BOOLEAN, 'bool'],
  [NUMBER, 'int, float'],
  [TEXT, 'str'],
  [LIST, 'list'],
  [OBJECT, 'dict'],
  [DATE, 'datetime'],
]

function checked(code: string, types: TypeSet, uses: Uses): string {
  if (types === NUMBER) return `${uses.helper('_number')}(${code})`
  const kinds = KINDS.filter(([bit]) => (types & bit) !== 0).map(([, kind]) => kind)
  if (types === JSON_VALUE) {
    return `${uses.helper('_typed')}(${code}, type(None), bool, int, float, str, list, dict)`
  }
  return `${uses.helper('_typed')}(${code}, ${kinds.join(', ')})`
}

const SIMPLE: ReadonlyMap<TypeSet, string> = new Map<TypeSet, string>([
  [BOOLEAN, 'bool'],
  [TEXT, 'str'],
  [LIST, 'list'],
  [OBJECT, 'dict'],
])

/** Lines that check the type of a variable. */
function checkStatement(name: string, types: TypeSet, uses: Uses): string[] {
  const kind = SIMPLE.get(types)
  if (kind === undefined) return [`${name} = ${checked(name, types, uses)}`]
  return [`if not isinstance(${name}, ${kind}):`, `    raise TypeError("${name} must be a ${kind}")`]
}

const NO_ANSWER = '(ValueError, LookupError, TypeError)'

function render(statements: readonly Statement[], uses: Uses, indent: number): string[] {
  const space = '    '.repeat(indent)
  const inner = (body: readonly Statement[]) => render(body, uses, indent + 1)
  return statements.flatMap((statement): string[] => {
    switch (statement.kind) {
      case 'let':
        return [`${space}${statement.name} = ${statement.value}`]
      case 'return':
        return [`${space}return ${statement.value}`]
      case 'check':
        return checkStatement(statement.name, statement.types, uses).map((line) => space + line)
      case 'fail':
        return [`${space}raise LookupError("no part is there")`]
      case 'if':
        return [`${space}if ${statement.condition}:`, ...inner(statement.then)]
      case 'try': {
        const caught = statement.only === 'missing' ? 'LookupError' : NO_ANSWER
        return [`${space}try:`, ...inner(statement.body), `${space}except ${caught}:`, `${space}    pass`]
      }
      case 'function':
        return [`${space}def ${statement.name}(${statement.parameters.join(', ')}):`, ...inner(statement.body), '']
    }
  })
}

/** Python, as the writer needs it. */
export const PYTHON: Dialect = {
  operators: PY_OPERATORS,
  patterns: PY_PATTERNS,
  positions: PY_POSITIONS,
  reserved: RESERVED,
  style: 'snake',
  literal: pyLiteral,
  checked,
  member: (object, name, isObject, exact, uses) =>
    isObject || !exact
      ? `${atom(object)}[${pyString(name)}]`
      : `${uses.helper('_member')}(${object}, ${pyString(name)})`,
  conditional: (condition, then, otherwise) => `${atom(then)} if ${atom(condition)} else ${atom(otherwise)}`,
  not: (code) => `not ${atom(code)}`,
  isNull: (code) => `${atom(code)} is None`,
  isEmpty: (code) => `${atom(code)} in (None, "", [], {})`,
  lambda: (code) => `lambda: ${code}`,
  render,
}
