import type { Fields, FieldSpec, OperatorSpec } from '../../../../core/compile/language/operators/fields.ts'
import { typeSetName } from '../../../../core/compile/language/value-types.ts'

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

function resultName(spec: OperatorSpec): string {
  return typeof spec.result === 'number'
    ? typeSetName(spec.result)
    : `that of ${spec.result.map((f) => `\`${f}\``).join(', ')}`
}

/** The row of the published table that describes an operator. */
export function operatorRow(op: string, spec: OperatorSpec): string {
  return `| \`${op}\` | ${fieldList(spec.fields)} | ${resultName(spec)} | ${spec.meaning} |`
}

/** The row that describes a position or a pattern. */
export function shapeRow(tag: string, fields: Fields): string {
  return `| \`${tag}\` | ${fieldList(fields)} |`
}
