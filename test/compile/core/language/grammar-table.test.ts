import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { LANGUAGE_2 } from '../../../../core/compile/language/ast.ts'
import { parseProgram } from '../../../../core/compile/language/parse.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../../core/kernel/json/json.ts'
import { bodyWith, constantsOf, readNames, readRules, sampleNode, typesOf, VALUES, type Rule } from './grammar.ts'

/** The language has no say here: every rule is read from the tables of docs/formats/recipe-language.md. */
const RULES = readRules()
const file = { vectors: ['', '-2'].flatMap(readVectors) }

function readVectors(version: string): readonly { readonly body: Json }[] {
  const path = `../../../../docs/formats/vectors/recipe-language${version}.json`
  return JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')).vectors
}

function isAccepted(body: Json): boolean {
  try {
    parseProgram({ language: LANGUAGE_2, body })
    return true
  } catch {
    return false
  }
}

/** An operator that takes values of one type only. */
const TAKES: Readonly<Record<string, (node: JsonObject) => JsonObject>> = {
  boolean: (of) => ({ op: 'not', of }),
  number: (value) => ({ op: 'neg', value }),
  text: (text) => ({ op: 'upper', text }),
  list: (list) => ({ op: 'sum', list }),
  object: (of) => ({ op: 'keys', of }),
  date: (date) => ({ op: 'datePart', date, part: 'year' }),
}

/** Nodes of all vectors with what they are: an operator's, a position's, a pattern's or a set's. */
function nodesOf(value: Json, found: JsonObject[] = []): readonly JsonObject[] {
  if (Array.isArray(value)) for (const item of value) nodesOf(item, found)
  else if (isJsonObject(value)) {
    found.push(value)
    const isLiteral = value['op'] === 'literal'
    for (const [name, inner] of Object.entries(value)) if (!isLiteral || name !== 'value') nodesOf(inner, found)
  }
  return found
}

function isOf(rule: Rule, node: JsonObject): boolean {
  if (rule.table === 'set') return node['classes'] !== undefined || node['chars'] !== undefined
  return node[rule.table === 'pattern' ? 'kind' : 'op'] === rule.name
}

describe('grammar in the tables of docs/formats/recipe-language.md', () => {
  const operators = RULES.filter(({ table }) => table === 'operator')
  const nodes = file.vectors.flatMap(({ body }) => nodesOf(body))

  it('has all four tables, and every name once', () => {
    expect(operators.length).to.be.greaterThan(100)
    for (const table of ['position', 'pattern', 'set'])
      expect(RULES.some((rule) => rule.table === table)).to.equal(true)
    const names = RULES.map(({ table, name }) => `${table} ${name}`)
    expect(new Set(names).size).to.equal(names.length)
  })

  for (const rule of RULES) {
    const node = (): JsonObject => sampleNode(rule, RULES)
    // `var` needs a binding around it.
    const wrap = (inner: JsonObject): Json =>
      rule.name === 'var' ? { op: 'let', name: 'v', value: VALUES['text'] ?? null, in: inner } : bodyWith(rule, inner)

    it(`has ${rule.table} ${rule.name} with the stated fields, types and constants`, () => {
      expect(isAccepted(wrap(node())), JSON.stringify(node())).to.equal(true)
      expect(isAccepted(wrap({ ...node(), nonsense: 1 })), 'a field too many').to.equal(false)
      for (const { name, isOptional, type } of rule.fields) {
        const { [name]: _left, ...rest } = node()
        expect(isAccepted(wrap(rest)), `without ${name}`).to.equal(isOptional)
        const { good, bad } = constantsOf(type, RULES)
        const accepts = typesOf(type)
        expect(good.length + accepts.length, `${name}: ${type}`).to.be.greaterThan(0)
        for (const value of rule.name === 'var' ? [] : good) {
          expect(
            isAccepted(wrap({ ...node(), ...needs(rule, name, value), [name]: value })),
            `${name}: ${JSON.stringify(value).slice(0, 99)}`,
          ).to.equal(true)
        }
        for (const value of bad) {
          expect(
            isAccepted(wrap({ ...node(), [name]: value })),
            `${name}: ${JSON.stringify(value).slice(0, 99)}`,
          ).to.equal(false)
        }
        for (const [given, value] of Object.entries(accepts.length === 0 ? {} : VALUES)) {
          // What passes a date on cannot be an answer itself.
          if (given === 'date' && rule.gives.includes(`.${name}`)) continue
          expect(isAccepted(wrap({ ...node(), [name]: value })), `${name}: ${given}`).to.equal(accepts.includes(given))
        }
      }
    })
  }

  for (const rule of operators.filter(({ name }) => name !== 'literal' && name !== 'var')) {
    it(`gives of ${rule.name} what the table says`, () => {
      const passed = rule.gives.filter((name) => name.startsWith('.')).map((name) => name.slice(1))
      const given = passed.length > 0 ? ['text'] : rule.gives.flatMap(typesOf)
      expect(given, rule.gives.join()).to.have.length.greaterThan(0)
      const node = passed.length > 0 ? passing(rule, passed) : sampleNode(rule, RULES)
      for (const [type, take] of Object.entries(TAKES)) {
        expect(isAccepted(take(node)), type).to.equal(given.includes(type))
      }
    })
  }

  it('is exercised by the vectors, rule by rule and field by field', () => {
    const missing = RULES.flatMap((rule) => {
      const own = nodes.filter((node) => isOf(rule, node))
      if (own.length === 0) return [rule.name]
      return rule.fields.flatMap(({ name, type }) => {
        const values = own.flatMap((node) => node[name] ?? [])
        if (values.length === 0) return [`${rule.name}.${name}`]
        const { good } = constantsOf(type, RULES)
        const isChoice = type.startsWith('`"') && !type.includes('…')
        return isChoice
          ? good.filter((word) => !values.includes(word)).map((word) => `${rule.name}.${name}: ${JSON.stringify(word)}`)
          : []
      })
    })
    expect(missing).to.deep.equal([])
  })

  it('holds everything that the vectors use', () => {
    const tags = new Set(RULES.map(({ name }) => name))
    const strange = nodes.flatMap((node) => {
      const tag = node['op'] ?? node['kind']
      if (typeof tag !== 'string') return []
      const rule = RULES.find((one) => isOf(one, node))
      if (rule === undefined || !tags.has(tag)) return [tag]
      const known = new Set(['op', 'kind', ...rule.fields.map(({ name }) => name)])
      return Object.keys(node).filter((name) => !known.has(name))
    })
    expect(strange).to.deep.equal([])
  })

  it('has vectors for every token, class, letter of dates and failure', () => {
    const text = JSON.stringify(file.vectors)
    const isUsed = (name: string): boolean => text.includes(`"${name}"`)
    expect(readNames('Token').filter((name) => !isUsed(name))).to.deep.equal([])
    expect(readNames('Class').filter((name) => !isUsed(name))).to.deep.equal([])
    const patterns = nodes.flatMap(({ pattern }) =>
      typeof pattern === 'string' ? [pattern.replaceAll(/'[^']*'/g, ' ')] : [],
    )
    const letters = new Set(patterns.flatMap((pattern) => pattern.match(/do|([A-Za-z])\1*/g) ?? []))
    expect(readNames('Letters').filter((name) => !letters.has(name))).to.deep.equal([])
    expect(readNames('Reason').filter((name) => !text.includes(`"fails":"${name}"`))).to.deep.equal([])
  })
})

/** Other fields that a constant only makes sense with: a `group` needs a regex that has so many. */
function needs(rule: Rule, name: string, value: Json): JsonObject {
  if (name !== 'group' || !rule.fields.some(({ type }) => type === 'Pattern')) return {}
  return { pattern: { kind: 'regex', regex: '(a)'.repeat(Number(value)) || 'a' } }
}

/** A node whose passed fields all give a text. */
function passing(rule: Rule, passed: readonly string[]): JsonObject {
  const text = VALUES['text'] ?? null
  const node = sampleNode(rule, RULES)
  return Object.fromEntries(
    Object.entries(node).map(([name, value]): [string, Json] => {
      if (!passed.includes(name)) return [name, value]
      if (name === 'cases') return [name, [{ when: VALUES['boolean'] ?? null, then: text }]]
      return [name, Array.isArray(value) ? [text] : text]
    }),
  )
}
