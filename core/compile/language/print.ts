import { isJsonObject, type Json, type JsonObject } from '../../kernel/json/json.ts'
import { type Expr, exprJson, type Program } from './ast.ts'
import type { FieldSpec } from './operators/fields.ts'
import { findOperator } from './operators/table.ts'

/** Most cases of a lookup or a switch that are printed. */
const MAX_PRINTED_CASES = 6
/** Longest constant that is printed in full. */
const MAX_PRINTED_LITERAL = 80

const INFIX: Readonly<Record<string, string>> = {
  add: '+',
  sub: '-',
  mul: '*',
  div: '/',
  mod: '%',
  eq: '==',
  ne: '!=',
  lt: '<',
  le: '<=',
  gt: '>',
  ge: '>=',
}

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
  if (!isJsonObject(pattern)) return '?'
  switch (pattern.kind) {
    case 'token':
      return plain(pattern.name)
    case 'literal':
      return printJson(pattern.text)
    case 'text':
      return printNode(pattern.text)
    default:
      return `/${plain(pattern.regex)}/${pattern.ignoreCase === true ? 'i' : ''}`
  }
}

function printCharSet(set: Json | undefined): string {
  if (!isJsonObject(set)) return '?'
  const classes = Array.isArray(set.classes) ? set.classes.map(plain) : []
  return [...classes, ...(set.chars === undefined ? [] : [printJson(set.chars)])].join('|')
}

function printPos(pos: Json | undefined): string {
  if (!isJsonObject(pos)) return '?'
  const occurrence = plain(pos.occurrence)
  switch (pos.op) {
    case 'absPos':
      if (pos.from === 'start') return plain(pos.offset)
      return pos.offset === 0 ? 'end' : `end - ${plain(pos.offset)}`
    case 'matchPos':
      return `${plain(pos.edge)}(${printPattern(pos.pattern)}, ${occurrence})`
    case 'betweenPos':
      return `between(${printPattern(pos.left)}, ${printPattern(pos.right)}, ${occurrence})`
    case 'seekPos': {
      const way = Number(pos.occurrence) > 0 ? 'after' : 'before'
      return `${plain(pos.edge)}(${printPattern(pos.pattern)}, ${occurrence}, ${way} ${printPos(pos.base)})`
    }
    case 'shiftPos': {
      const by = Number(pos.by)
      return `${printPos(pos.base)} ${by < 0 ? '-' : '+'} ${Math.abs(by)}`
    }
    default:
      return printNode(pos.value)
  }
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

function printCall(op: string, node: JsonObject): string {
  const spec = findOperator(op)
  if (spec === undefined) return '?'
  const parts: string[] = []
  for (const [name, field] of Object.entries(spec.fields)) {
    const value = node[name]
    const part = value === undefined ? '' : printField(name, field, value, node)
    if (part !== '') parts.push(part)
  }
  return `${op}(${parts.join(', ')})`
}

function printNode(node: Json | undefined): string {
  if (!isJsonObject(node) || typeof node.op !== 'string') return '?'
  const sign = INFIX[node.op]
  if (sign !== undefined) return `(${printNode(node.left)} ${sign} ${printNode(node.right)})`
  switch (node.op) {
    case 'literal':
      return printJson(node.value)
    case 'input':
      return 'input'
    case 'var':
      return plain(node.name)
    case 'field':
      return printNode(node.of) + printStep(node.name ?? '')
    case 'path':
      return printNode(node.of) + (Array.isArray(node.steps) ? node.steps.map(printStep).join('') : '')
    case 'let':
      return `let(${plain(node.name)} = ${printNode(node.value)}, ${printNode(node.in)})`
    case 'and':
    case 'or':
      return `(${objectsOf(node.of).map(printNode).join(` ${node.op} `)})`
    case 'list':
      return `[${objectsOf(node.items).map(printNode).join(', ')}]`
    case 'object': {
      const members = objectsOf(node.members)
      return `{${members.map((m) => `${plain(m.name)}${m.optional === true ? '?' : ''}: ${printNode(m.value)}`).join(', ')}}`
    }
    case 'switch': {
      const cases = objectsOf(node.cases).map((entry) => `${printNode(entry.when)} -> ${printNode(entry.then)}`)
      return `switch(${printCases(cases, node.else)})`
    }
    case 'lookup': {
      const cases = objectsOf(node.cases).map((entry) => `${printJson(entry.key)} -> ${printJson(entry.value)}`)
      return `lookup(${printNode(node.key)}, ${printCases(cases, node.default)})`
    }
    case 'rename': {
      const names = objectsOf(node.names).map((entry) => `${plain(entry.from)} -> ${plain(entry.to)}`)
      return `rename(${printNode(node.of)}, ${names.join(', ')})`
    }
    default:
      return printCall(node.op, node)
  }
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
