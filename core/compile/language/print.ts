import { isJsonObject, type Json, type JsonObject } from '../../kernel/json/json.ts'
import { type Expr, exprJson, type Program } from './ast.ts'
import type { Fields, FieldSpec } from './operators/fields.ts'
import { findPattern } from './operators/patterns.ts'
import { findPosition, type PositionPrinter } from './operators/positions.ts'
import { findOperator } from './operators/table.ts'

/** Most cases of a lookup or a switch that are printed. */
const MAX_PRINTED_CASES = 6
/** Longest constant that is printed in full. */
const MAX_PRINTED_LITERAL = 80

function printJson(value: Json | undefined): string {
  const text = JSON.stringify(value ?? null)
  return text.length <= MAX_PRINTED_LITERAL ? text : `${text.slice(0, MAX_PRINTED_LITERAL)}…`
}

/** A name or number as it is. */
function plain(value: Json | undefined): string {
  return typeof value === 'string' ? value : printJson(value)
}

function objectsOf(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter((item) => isJsonObject(item)) : []
}

function printStep(step: Json): string {
  if (typeof step === 'string' && /^[A-Za-z_]\w*$/.test(step)) return `.${step}`
  return `[${printJson(step)}]`
}

function printPattern(pattern: Json | undefined): string {
  return isJsonObject(pattern) ? (findPattern(pattern)?.print(pattern, PRINTER) ?? '?') : '?'
}

function printPos(pos: Json | undefined): string {
  return isJsonObject(pos) ? (findPosition(pos)?.print(pos, PRINTER) ?? '?') : '?'
}

function printCharSet(set: Json | undefined): string {
  if (!isJsonObject(set)) return '?'
  const classes = Array.isArray(set.classes) ? set.classes.map(plain) : []
  return [...classes, ...(set.chars === undefined ? [] : [printJson(set.chars)])].join('|')
}

function printCases(cases: readonly string[], otherwise: Json | undefined): string {
  const shown = cases.slice(0, MAX_PRINTED_CASES)
  if (cases.length > shown.length) shown.push(`… ${cases.length - shown.length} more`)
  if (otherwise !== undefined) shown.push(`else ${printNode(otherwise)}`)
  return shown.join(', ')
}

function printField(name: string, spec: FieldSpec, value: Json, node: JsonObject): string {
  switch (spec.kind) {
    case 'expr':
      return spec.binds === undefined ? printNode(value) : `${plain(node[spec.binds])} => ${printNode(value)}`
    case 'exprs':
      return Array.isArray(value) ? value.map((item) => printNode(item)).join(', ') : '?'
    case 'pos':
      return printPos(value)
    case 'pattern':
      return printPattern(value)
    case 'charSet':
      return printCharSet(value)
    case 'flag':
      return value === true ? name : ''
    case 'integer':
      return spec.optional === true ? `${name}: ${printJson(value)}` : printJson(value)
    case 'name':
      return ''
    default:
      return spec.optional === true ? `${name}: ${printJson(value)}` : printJson(value)
  }
}

const PRINTER: PositionPrinter = {
  node: printNode,
  json: printJson,
  plain,
  steps: (steps) => (Array.isArray(steps) ? steps.map(printStep).join('') : ''),
  nodes: (items) => objectsOf(items).map(printNode),
  records: objectsOf,
  cases: printCases,
  pattern: printPattern,
  position: printPos,
}

function printCall(op: string, fields: Fields, node: JsonObject): string {
  const parts: string[] = []
  for (const [name, field] of Object.entries(fields)) {
    const value = node[name]
    const part = value === undefined ? '' : printField(name, field, value, node)
    if (part !== '') parts.push(part)
  }
  return `${op}(${parts.join(', ')})`
}

function printNode(node: Json | undefined): string {
  if (!isJsonObject(node) || typeof node.op !== 'string') return '?'
  const entry = findOperator(node.op)
  if (entry === undefined) return '?'
  if (typeof entry.print === 'string') return `(${printNode(node.left)} ${entry.print} ${printNode(node.right)})`
  return entry.print === undefined ? printCall(node.op, entry.fields, node) : entry.print(node, PRINTER)
}

/**
 * Prints an expression in one line for people: `concat(upper(slice(input, 0, 1)), ". ")`. The output is not parsed
 * again.
 */
export function printExpr(expr: Expr): string {
  return printNode(exprJson(expr))
}

/** A program in one line, for people. */
export function printProgram(program: Program): string {
  return printExpr(program.body)
}
