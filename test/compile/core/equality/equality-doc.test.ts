import { readFile } from 'node:fs/promises'
import canonicalize from 'canonicalize'
import { expect } from 'chai'
import { Equality } from '../../../../core/compile/rows/equality/equality.ts'
import { inferEquality } from '../../../../core/compile/rows/equality/infer-equality.ts'
import { isSameOutput } from '../../../../core/compile/rows/equality/same-output.ts'
import type { Json } from '../../../../core/kernel/json/json.ts'
import { createRandom } from '../../../../core/model/random.ts'
import { oneOf } from '../../../support/odd-sets/odd-values.ts'

// An equality written from docs/formats/svc-format.md alone, compared with the one of core.
interface Rule {
  readonly path: readonly string[]
  readonly kind: 'number' | 'text' | 'tolerance'
  readonly relative?: number
  readonly absolute?: number
  readonly form?: 'nfc'
}

interface Vector {
  readonly outputs: readonly Json[]
  readonly rules: readonly Rule[]
  readonly pairs: readonly (readonly [Json, Json, boolean])[]
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value)

function leavesOf(value: Json, path: readonly string[] = []): { path: readonly string[]; value: Json }[] {
  if (value === null || typeof value !== 'object') return [{ path, value }]
  if (isList(value)) return value.flatMap((item) => leavesOf(item, [...path, '*']))
  return Object.entries(value).flatMap(([name, member]) => leavesOf(member, [...path, name]))
}

function decimalsOf(value: number): number {
  const plain = /^-?\d(?:\.(\d+))?e([+-]\d+)$/.exec(value.toExponential())
  return Math.max(0, (plain?.[1] ?? '').length - Number(plain?.[2]))
}

function rulesOf(outputs: readonly Json[]): Rule[] {
  const byPath = new Map<string, { path: readonly string[]; values: Json[] }>()
  for (const { path, value } of outputs.flatMap((output) => leavesOf(output))) {
    const known = byPath.get(JSON.stringify(path)) ?? { path, values: [] }
    known.values.push(value)
    byPath.set(JSON.stringify(path), known)
  }
  const rules = [...byPath.values()].flatMap(({ path, values }): Rule[] => {
    const numbers = values.filter((value) => typeof value === 'number')
    const texts = values.filter((value) => typeof value === 'string')
    const facts = numbers
      .filter((value) => value !== 0)
      .map((value) => {
        const magnitude = Number(value.toExponential().split('e')[1])
        const isWritten = decimalsOf(value) <= 6
        return { magnitude, isWritten, unit: isWritten ? -decimalsOf(value) : magnitude - 6 }
      })
    const written = facts.filter(({ isWritten }) => isWritten)
    const units = facts.map(({ unit }) => unit)
    const absolute = Math.max(-300, Math.min(-9, ...units.map((unit) => unit - 6)))
    const top = Math.max(...facts.map(({ magnitude }) => magnitude))
    const relative = Math.max(-14, Math.min(-9, ...written.map(({ unit }) => unit - 4 - top)))
    const isMixed =
      texts.some((text) => text.normalize('NFD') !== text) && texts.some((text) => text.normalize('NFC') !== text)
    return [
      ...(numbers.length === 0
        ? []
        : [{ path, kind: 'number' as const, relative: Number(`1e${relative}`), absolute: Number(`1e${absolute}`) }]),
      ...(isMixed ? [{ path, kind: 'text' as const, form: 'nfc' as const }] : []),
    ]
  })
  const key = ({ path, kind }: Rule) => canonicalize([path, kind]) ?? ''
  return rules.sort((a, b) => (key(a) < key(b) ? -1 : 1))
}

function isEqual(rules: readonly Rule[], left: Json, right: Json, path: readonly string[] = []): boolean {
  const rule = (kind: Rule['kind']) =>
    rules.find((one) => one.kind === kind && JSON.stringify(one.path) === JSON.stringify(path))
  if (typeof left === 'number' && typeof right === 'number') {
    const stated = rule('tolerance')
    if (stated !== undefined) {
      const m = Math.max(Math.abs(left), Math.abs(right))
      return Math.abs(left - right) <= Math.max(stated.absolute ?? 0, (stated.relative ?? 0) * m) + 2 ** -50 * m
    }
    if (left === right) return true
    const { absolute = 0, relative = 0 } = rule('number') ?? {}
    const isWhole = (value: number) => Number.isInteger(value) && Math.abs(value) < 2 ** 53
    if (rule('number') === undefined || (isWhole(left) && isWhole(right))) return false
    const apart = Math.abs(left - right)
    return apart <= absolute || apart <= relative * Math.max(Math.abs(left), Math.abs(right))
  }
  if (typeof left === 'string' && typeof right === 'string' && rule('text') !== undefined) {
    return left.normalize('NFC') === right.normalize('NFC')
  }
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return left === right
  if (isList(left) || isList(right)) {
    if (!isList(left) || !isList(right) || left.length !== right.length) return false
    return left.every((item, at) => isEqual(rules, item, right[at] ?? null, [...path, '*']))
  }
  const names = Object.keys(left).sort()
  if (names.join('\n') !== Object.keys(right).sort().join('\n')) return false
  return names.every((name) => isEqual(rules, left[name] ?? null, right[name] ?? null, [...path, name]))
}

describe('the equality of docs/formats/svc-format.md', () => {
  it('has the vectors of the page', async () => {
    const page = await readFile(new URL('../../../../docs/formats/svc-format.md', import.meta.url), 'utf8')
    const block = /```json equality-vectors\n([\s\S]*?)```/.exec(page)?.[1] ?? '[]'
    const vectors: readonly Vector[] = JSON.parse(block)
    expect(vectors).to.have.length(4)
    for (const { outputs, rules, pairs } of vectors) {
      expect(rulesOf(outputs)).to.deep.equal(rules)
      expect(inferEquality(outputs).rules).to.deep.equal(rules)
      for (const [left, right, isSame] of pairs) {
        expect(isEqual(rules, left, right), JSON.stringify([left, right])).to.equal(isSame)
        expect(isSameOutput(inferEquality(outputs), left, right), JSON.stringify([left, right])).to.equal(isSame)
      }
    }
  })

  it('has the vectors of tolerances', async () => {
    const page = await readFile(new URL('../../../../docs/formats/svc-format.md', import.meta.url), 'utf8')
    const block = /```json tolerance-vectors\n([\s\S]*?)```/.exec(page)?.[1] ?? '[]'
    const vectors: readonly Omit<Vector, 'outputs'>[] = JSON.parse(block)
    expect(vectors).to.have.length(2)
    for (const { rules, pairs } of vectors) {
      const equality = Equality.parse({ spec: 'svc-equality-2', rules })
      for (const [left, right, isSame] of pairs) {
        expect(isEqual(rules, left, right), JSON.stringify([left, right])).to.equal(isSame)
        expect(isSameOutput(equality, left, right), JSON.stringify([left, right])).to.equal(isSame)
        expect(isSameOutput(equality, right, left), JSON.stringify([right, left])).to.equal(isSame)
      }
    }
  })

  it('is the one of core for random outputs', () => {
    const random = createRandom(14, 'equality')
    const pick = <T>(of: readonly T[]): T => oneOf(random, of)
    const numberOf = (): number => {
      const value = (random.float() - 0.5) * 10 ** Math.floor(random.float() * 40 - 20)
      return pick([0, value, Number(value.toFixed(2)), Math.round(value), Number(value.toPrecision(3))])
    }
    const valueOf = (depth: number): Json => {
      if (depth > 0 && random.float() < 0.4) {
        return random.float() < 0.5
          ? Array.from({ length: random.below(3) }, () => valueOf(depth - 1))
          : { [pick(['a', '*', 'b'])]: valueOf(depth - 1), c: valueOf(depth - 1) }
      }
      return pick([numberOf(), numberOf(), pick(['a', '\u00e9', 'e\u0301', '']), null, true])
    }
    const nudge = (value: Json): Json => {
      if (typeof value === 'number') return value * (1 + pick([0, 0, 1e-15, 1e-10, 1e-8, 0.1]))
      if (typeof value === 'string') return pick([value, value.normalize('NFC'), value.normalize('NFD')])
      if (value === null || typeof value !== 'object') return value
      if (isList(value)) return value.map(nudge)
      return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, nudge(member)]))
    }
    let same = 0
    for (let round = 0; round < 3000; round++) {
      const outputs = Array.from({ length: 1 + random.below(4) }, () => valueOf(3))
      const equality = inferEquality(outputs)
      expect(equality.rules).to.deep.equal(rulesOf(outputs))
      for (const output of outputs) {
        const other = nudge(output)
        const isSame = isSameOutput(equality, other, output)
        expect(isSame, JSON.stringify([output, other])).to.equal(isEqual(equality.rules, other, output))
        if (isSame) same++
      }
    }
    expect(same).to.be.greaterThan(500)
  })
})
