import { canonicalJson, type Json } from '../../../kernel/json/json.ts'
import type { BasicExpr, ConvertExpr } from '../ast.ts'
import { readPlainNumber } from '../primitives/numbers/number-text.ts'
import {
  itemAt,
  jsonToBoolean,
  jsonToText,
  memberOf,
  parseJsonText,
  sizeOfJson,
} from '../primitives/values/json-values.ts'
import { type Compiler, isList, isObject, jsonOf, textOf } from './compiler.ts'
import { failure, found, made, reserve, scan, type Step } from './frame.ts'

function stepInto(value: Json, step: string | number, op: string): Json {
  if (value === null) throw failure('missing', op)
  let inner: Json | undefined
  if (typeof step === 'string') {
    if (!isObject(value)) throw failure('type_mismatch', op)
    inner = memberOf(value, step)
  } else {
    if (!isList(value)) throw failure('type_mismatch', op)
    inner = itemAt(value, step)
  }
  return found(inner, failure('missing', op))
}

/** Compiles access to the input, constants and names. */
export function compileBasic(compiler: Compiler, node: BasicExpr): Step {
  switch (node.op) {
    case 'literal': {
      const { value } = node
      return () => value
    }
    case 'input':
      return (frame) => frame.input
    case 'field': {
      const of = jsonOf(compiler, node.of, 'field')
      const { name } = node
      return (frame) => stepInto(of(frame), name, 'field')
    }
    case 'path': {
      const of = jsonOf(compiler, node.of, 'path')
      const { steps } = node
      return (frame) => {
        let value = of(frame)
        for (const step of steps) value = stepInto(value, step, 'path')
        return value
      }
    }
    case 'let': {
      const value = compiler.expr(node.value)
      const { inner, slot } = compiler.bind(node.name)
      const body = inner.expr(node.in)
      return (frame) => {
        frame.bound[slot] = value(frame)
        return body(frame)
      }
    }
    case 'var': {
      const slot = compiler.slotOf(node.name)
      if (slot === -1) throw new TypeError(`nothing is bound to ${node.name}`)
      return (frame) => frame.bound[slot] ?? null
    }
  }
}

/** Compiles a conversion between types. */
export function compileConvert(compiler: Compiler, node: ConvertExpr): Step {
  const mismatch = failure('type_mismatch', node.op)
  const noMatch = failure('no_match', node.op)
  switch (node.op) {
    case 'toText': {
      const of = jsonOf(compiler, node.of, node.op)
      return (frame) => {
        const value = of(frame)
        return typeof value === 'string' ? value : made(frame, found(jsonToText(value), mismatch))
      }
    }
    case 'toNumber': {
      const of = jsonOf(compiler, node.of, node.op)
      return (frame) => {
        const value = of(frame)
        if (typeof value === 'number') return value
        if (typeof value === 'boolean') return value ? 1 : 0
        if (typeof value !== 'string') throw mismatch
        scan(frame, value.length)
        return found(readPlainNumber(value), noMatch)
      }
    }
    case 'toBoolean': {
      const of = jsonOf(compiler, node.of, node.op)
      return (frame) => {
        const value = of(frame)
        if (typeof value === 'object') throw mismatch
        if (typeof value === 'string') scan(frame, value.length)
        return found(jsonToBoolean(value), noMatch)
      }
    }
    case 'toJson': {
      const of = jsonOf(compiler, node.of, node.op)
      return (frame) => {
        const value = of(frame)
        reserve(frame, sizeOfJson(value, frame.room))
        return canonicalJson(value)
      }
    }
    case 'parseJson': {
      const text = textOf(compiler, node.text, node.op)
      return (frame) => {
        const value = text(frame)
        reserve(frame, value.length * 8)
        return found(parseJsonText(value), noMatch)
      }
    }
  }
}
