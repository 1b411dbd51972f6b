import type { Json } from '../../../kernel/json/json.ts'
import type { Expr, ObjectExpr } from '../ast.ts'
import { memberOf, sortedNames } from '../primitives/values/json-values.ts'
import { type Compiler, isObject, jsonOf, listOf, objectOf } from './compiler.ts'
import { Failure, failure, type Frame, reserveItems, type Step } from './frame.ts'

function memberEntries(frame: Frame, object: { readonly [name: string]: Json }): [string, Json][] {
  const entries = Object.entries(object)
  reserveItems(frame, entries.length)
  return entries
}

/** Compiles a member of `object`; undefined when it is optional and has no answer. */
function compileMember(compiler: Compiler, value: Expr, isOptional: boolean): Step<Json | undefined> {
  const step = jsonOf(compiler, value, 'object')
  if (!isOptional) return step
  return (frame) => {
    try {
      return step(frame)
    } catch (error) {
      if (error instanceof Failure && error.isCaught) return undefined
      throw error
    }
  }
}

function readEntry(entry: Json): readonly [string, Json] {
  const mismatch = failure('type_mismatch', 'fromEntries')
  if (!isObject(entry)) throw mismatch
  const key = memberOf(entry, 'key')
  const value = memberOf(entry, 'value')
  if (typeof key !== 'string' || value === undefined) throw mismatch
  return [key, value]
}

/** Compiles an operator on objects. `Object.fromEntries` makes own members of every name, `__proto__` too. */
export function compileObject(compiler: Compiler, node: ObjectExpr): Step {
  switch (node.op) {
    case 'object': {
      const members = node.members.map((member) => ({
        name: member.name,
        value: compileMember(compiler, member.value, member.optional ?? false),
      }))
      return (frame) => {
        reserveItems(frame, members.length)
        const entries: [string, Json][] = []
        for (const { name, value } of members) {
          const given = value(frame)
          if (given !== undefined) entries.push([name, given])
        }
        return Object.fromEntries(entries)
      }
    }
    case 'pick':
    case 'omit': {
      const of = objectOf(compiler, node.of, node.op)
      const names = new Set(node.names)
      const isPick = node.op === 'pick'
      return (frame) =>
        Object.fromEntries(memberEntries(frame, of(frame)).filter(([name]) => names.has(name) === isPick))
    }
    case 'rename': {
      const of = objectOf(compiler, node.of, 'rename')
      const { names } = node
      const renamed = new Set(names.map(({ from }) => from))
      return (frame) => {
        const object = of(frame)
        const kept = memberEntries(frame, object).filter(([name]) => !renamed.has(name))
        reserveItems(frame, names.length)
        const moved = names.flatMap(({ from, to }): [string, Json][] => {
          const value = memberOf(object, from)
          return value === undefined ? [] : [[to, value]]
        })
        return Object.fromEntries([...kept, ...moved])
      }
    }
    case 'merge': {
      const objects = node.of.map((object) => objectOf(compiler, object, 'merge'))
      return (frame) => Object.fromEntries(objects.flatMap((object) => memberEntries(frame, object(frame))))
    }
    case 'keys':
    case 'values':
    case 'entries': {
      const of = objectOf(compiler, node.of, node.op)
      const { op } = node
      return (frame) => {
        const object = of(frame)
        const names = sortedNames(object)
        reserveItems(frame, names.length)
        if (op === 'keys') return names
        const valueAt = (name: string): Json => object[name] ?? null
        return op === 'values' ? names.map(valueAt) : names.map((name) => ({ key: name, value: valueAt(name) }))
      }
    }
    case 'fromEntries': {
      const list = listOf(compiler, node.list, 'fromEntries')
      return (frame) => {
        const items = list(frame)
        reserveItems(frame, items.length)
        return Object.fromEntries(items.map(readEntry))
      }
    }
  }
}
