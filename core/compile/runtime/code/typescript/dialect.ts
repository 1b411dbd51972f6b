import { atom } from '../writing/atoms.ts'
import type { Dialect } from '../writing/dialect.ts'
import type { Statement } from '../writing/statements.ts'
import type { Uses } from '../writing/uses.ts'
import { TS_OPERATORS } from './operators/table.ts'
import { TS_PATTERNS } from './patterns.ts'
import { TS_POSITIONS } from './positions.ts'
import { helperNames } from './helper-slices.ts'
import { tsLiteral, tsString } from './strings.ts'
import { kindsOf } from './types.ts'

const WORDS = new Set(
  (
    'break case catch class const continue debugger default delete do else enum export extends false finally for function if import ' +
    'in instanceof new null return super switch this throw true try typeof var void while with yield let static await async of ' +
    'undefined NaN Infinity Object Array String Number Boolean Map Set RegExp Math JSON Error BigInt Symbol Date Promise arguments eval ' +
    'error one Json JsonObject'
  ).split(' '),
)

function render(statements: readonly Statement[], uses: Uses, indent: number): string[] {
  const space = '  '.repeat(indent)
  const inner = (body: readonly Statement[]) => render(body, uses, indent + 1)
  return statements.flatMap((statement): string[] => {
    switch (statement.kind) {
      case 'let':
        return [
          `${space}const ${statement.name}${statement.value === '[]' ? ': readonly Json[]' : ''} = ${statement.value}`,
        ]
      case 'return':
        return [`${space}return ${statement.value}`]
      case 'check':
        return [`${space}${uses.helper('assertKind')}(${statement.name}, ${kindsOf(statement.types)})`]
      case 'fail':
        return [`${space}throw new ${uses.helper('NoAnswer')}('missing')`]
      case 'if':
        return [`${space}if (${statement.condition}) {`, ...inner(statement.then), `${space}}`]
      case 'try': {
        const caught = `error instanceof ${uses.helper('NoAnswer')}`
        const test = statement.only === 'missing' ? `!(${caught} && error.reason === 'missing')` : `!(${caught})`
        const rethrow = `${space}  if (${test}) throw error`
        return [`${space}try {`, ...inner(statement.body), `${space}} catch (error) {`, rethrow, `${space}}`]
      }
      case 'function': {
        const parameters = statement.parameters.map((name) => `${name}: Json`).join(', ')
        return [`${space}const ${statement.name} = (${parameters}) => {`, ...inner(statement.body), `${space}}`]
      }
    }
  })
}

/** TypeScript, as the writer needs it. */
export const TYPESCRIPT: Dialect = {
  operators: TS_OPERATORS,
  patterns: TS_PATTERNS,
  positions: TS_POSITIONS,
  get reserved() {
    return new Set([...WORDS, ...helperNames()])
  },
  style: 'camel',
  literal: tsLiteral,
  checked: (code, types, uses) => `${uses.helper('typed')}(${code}, ${kindsOf(types)})`,
  member: (object, name, _isObject, _exact, uses) => `${uses.helper('member')}(${object}, ${tsString(name)})`,
  conditional: (condition, then, otherwise) => `${atom(condition)} ? ${atom(then)} : ${atom(otherwise)}`,
  not: (code) => `!${atom(code)}`,
  isNull: (code) => `${atom(code)} === null`,
  isEmpty: (code, uses) => `${uses.helper('isEmpty')}(${code})`,
  lambda: (code) => `() => ${code.startsWith('{') ? `(${code})` : code}`,
  render,
}
