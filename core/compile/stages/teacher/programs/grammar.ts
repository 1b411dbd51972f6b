import { LANGUAGE_2 } from '../../../language/ast.ts'
import { CLASS_NAMES, TOKEN_NAMES } from '../../../language/names.ts'
import type { AnyOperator } from '../../../language/operators/entry.ts'
import type { Fields, FieldSpec } from '../../../language/operators/fields.ts'
import { PATTERNS } from '../../../language/operators/patterns.ts'
import { POSITIONS } from '../../../language/operators/positions.ts'
import { OPERATORS } from '../../../language/operators/table.ts'
import { typeSetName } from '../../../language/value-types.ts'

/** A list of names as alternatives, once for each list that several operators share. */
function alternatives(values: readonly string[]): string {
  if (values === TOKEN_NAMES) return 'TokenName'
  if (values === CLASS_NAMES) return 'ClassName'
  return values.map((value) => JSON.stringify(value)).join('|')
}

function fieldType(spec: FieldSpec): string {
  switch (spec.kind) {
    case 'expr':
      return typeSetName(spec.accepts)
    case 'exprs':
      return `[${typeSetName(spec.accepts)}...]`
    case 'pos':
      return 'Pos'
    case 'pattern':
      return 'Pattern'
    case 'charSet':
      return 'CharSet'
    case 'integer':
      return spec.nonZero === true ? 'INT(not 0)' : 'INT'
    case 'string':
      return 'STRING'
    case 'choice':
      return alternatives(spec.values)
    case 'flag':
      return 'true|false'
    case 'json':
      return 'JSON'
    case 'scalar':
      return 'SCALAR'
    case 'name':
      return 'NAME'
    case 'strings':
      return spec.values === undefined ? '[STRING...]' : `[${alternatives(spec.values)}...]`
    case 'steps':
      return '[STRING|INT...]'
    case 'regex':
      return 'REGEX'
    case 'datePattern':
      return 'DATEPATTERN'
    case 'records':
      return `[{${fieldsText(spec.fields)}}...]`
  }
}

function fieldsText(fields: Fields): string {
  return Object.entries(fields)
    .map(([name, spec]) => `${name}${spec.optional === true ? '?' : ''}: ${fieldType(spec)}`)
    .join(', ')
}

function tagged(table: Readonly<Record<string, { readonly fields: Fields }>>, tag: string): string {
  return Object.entries(table)
    .map(
      ([name, { fields }]) =>
        `{${tag}:${JSON.stringify(name)}${fieldsText(fields) === '' ? '' : `, ${fieldsText(fields)}`}}`,
    )
    .join('\n')
}

function operatorLines(): string {
  return Object.entries<AnyOperator>(OPERATORS)
    .map(([op, { fields, result, meaning }]) => {
      const gives = typeof result === 'number' ? typeSetName(result) : `type of ${result.join('/')}`
      return `${op} {${fieldsText(fields)}} -> ${gives}. ${meaning}`
    })
    .join('\n')
}

/**
 * The recipe language in a few thousand tokens, generated from the operator table, for the prompt of a model that
 * writes programs.
 */
export const GRAMMAR = `Program = {"language":"${LANGUAGE_2}","body":Expr}
Expr = {"op":OPERATOR, ...fields}. A field whose type is a value type (text, number, boolean, list, object, date, json, any) holds an Expr of that type; types in capitals are constants. "?" marks fields that may be left out.
SCALAR is null, a boolean, a number or a string. NAME is a letter and up to 31 letters or digits. REGEX is RE2 without back-references and look-around. DATEPATTERN has yyyy MM dd HH mm ss and the like.
Pos (a position in a text):
${tagged(POSITIONS, 'op')}
Pattern (what is looked for):
${tagged(PATTERNS, 'kind')}
CharSet = {classes?: [ClassName...], chars?: STRING}
TokenName = ${TOKEN_NAMES.map((name) => JSON.stringify(name)).join('|')}
ClassName = ${CLASS_NAMES.map((name) => JSON.stringify(name)).join('|')}
Operators:
${operatorLines()}`
