import { expect } from 'chai'
import { compositeRunner } from '../../../../../core/compile/runtime/composite/composite-runner.ts'
import { parseComposite } from '../../../../../core/compile/runtime/composite/composite-recipe.ts'
import { isLeafMember, memberOf, pointerOf } from '../../../../../core/compile/runtime/composite/places.ts'
import type { Json, JsonObject } from '../../../../../core/kernel/json/json.ts'
import { constantLeaf, programLeaf } from './given.ts'

const NO_WEIGHTS = new Map<string, Uint8Array>()

function composite(root: object): JsonObject {
  return JSON.parse(JSON.stringify({ format: 'svc-composite-1', root }))
}

function object(members: Readonly<Record<string, object>>) {
  return { node: 'object', members: Object.entries(members).map(([name, value]) => ({ name, value })) } as const
}

const INPUT = { op: 'input' } as const
const member = (name: string, of: object = INPUT) => ({ op: 'field', of, name }) as const
const readOf = (pointer: string) => member(pointer, member('read'))

/** A table without an entry for a key abstains. */
const chosen = (name: string) =>
  programLeaf({ op: 'lookup', key: member(name), cases: [{ key: 'yes', value: 'given' }] })
const presentWhere = (name: string) =>
  programLeaf({ op: 'eq', left: member(name), right: { op: 'literal', value: 'yes' } })

function run(root: object, input: Json) {
  return compositeRunner(composite(root), NO_WEIGHTS).run(input)
}

describe('composite recipe', () => {
  it('puts the answers of its leaves together', () => {
    const root = object({
      a: programLeaf(member('x')),
      b: { node: 'list', items: [constantLeaf(1), constantLeaf(null)] },
    })
    expect(run(root, { x: 'one' })).to.deep.equal({
      abstained: false,
      output: { a: 'one', b: [1, null] },
      confidence: 1,
    })
  })

  it('lets a leaf read others, in whatever order they stand', () => {
    const root = object({
      code: programLeaf({ op: 'concat', parts: [readOf('/kind'), { op: 'literal', value: '-' }, readOf('/n/0')] }, [
        '/kind',
        '/n/0',
      ]),
      kind: programLeaf(member('x')),
      n: { node: 'list', items: [constantLeaf('7')] },
    })
    expect(run(root, { x: 'AB' }).output).to.deep.equal({ code: 'AB-7', kind: 'AB', n: ['7'] })
  })

  it('abstains with a leaf that abstains, and with one that reads it', () => {
    expect(run(object({ a: constantLeaf(1), b: chosen('x') }), { x: 'no' })).to.deep.equal({
      abstained: true,
      output: null,
      confidence: 0,
    })
    const reading = object({ a: programLeaf(readOf('/b'), ['/b']), b: chosen('x') })
    const runner = compositeRunner(composite(reading), NO_WEIGHTS)
    expect(runner.leaves?.({ x: 'no' }).map(({ abstained }) => abstained)).to.deep.equal([true, true])
    expect(runner.run({ x: 'yes' }).output).to.deep.equal({ a: 'given', b: 'given' })
  })

  it('leaves an optional value out where it is absent or its leaf abstains', () => {
    for (const [absent, without] of [
      ['missing', {}],
      ['null', { a: null }],
    ] as const) {
      const root = object({ a: { node: 'optional', absent, present: presentWhere('p'), value: chosen('x') } })
      expect(run(root, { p: 'yes', x: 'yes' }).output).to.deep.equal({ a: 'given' })
      expect(run(root, { p: 'no', x: 'yes' }).output).to.deep.equal(without)
      expect(run(root, { p: 'yes', x: 'no' })).to.deep.include({ abstained: false, output: without })
    }
  })

  it('fails with the name of the leaf that has no answer', () => {
    const root = object({ a: constantLeaf(1), b: { node: 'list', items: [programLeaf(member('x'))] } })
    const runner = compositeRunner(composite(root), NO_WEIGHTS)
    expect(() => runner.run({}))
      .to.throw('/b/0 has no answer')
      .with.property('code', 'recipe_failed')
    expect(runner.leaves?.({}).map(({ failed }) => failed)).to.deep.equal([false, true])
  })

  it('is refused when it is not well formed', () => {
    const reading = (pointer: string) => programLeaf(readOf(pointer), [pointer])
    const optional = { node: 'optional', absent: 'missing', present: constantLeaf(true), value: constantLeaf(1) }
    const deep = Array.from({ length: 40 }).reduce<object>((inner) => object({ a: inner }), constantLeaf(1))
    const weights = {
      member: memberOf({ path: ['b'], part: 'value' }),
      sha256: `sha256:${'0'.repeat(64)}`,
      size_bytes: 1,
    }
    const classifier = { node: 'leaf', kind: 'label', by: 'classifier', reads: [], classifier: {}, weights }
    for (const [root, words] of [
      [object({ a: reading('/b'), b: reading('/a') }), 'refer to each other in a circle: /a reads /b reads /a'],
      [object({ a: reading('/a') }), 'in a circle'],
      [object({ a: reading('/c') }), '/a reads /c, which is no leaf'],
      [object({ a: programLeaf(INPUT, ['/b', '/b']), b: constantLeaf(1) }), 'reads /b twice'],
      [object({ a: reading('/b'), b: optional }), 'which is no leaf that always has a value'],
      [deep, 'deeper than 32 nodes'],
      [
        object(Object.fromEntries(Array.from({ length: 1001 }, (_, at) => [`m${at}`, constantLeaf(at)]))),
        'more than 1000 leaves',
      ],
      [{ node: 'list', items: [optional] }, 'missing value that is no member'],
      [
        {
          node: 'object',
          members: [
            { name: 'a', value: constantLeaf(1) },
            { name: 'a', value: constantLeaf(2) },
          ],
        },
        'stands twice',
      ],
      [object({ a: classifier }), 'whose digest gives leaf-'],
      [object({ b: classifier }), 'is missing'],
      [object({ a: { ...constantLeaf(1), kind: 'extract' } }), 'is not well formed'],
      [{ node: 'tree' }, 'is not well formed'],
    ] as const) {
      expect(() => compositeRunner(composite(root), NO_WEIGHTS), words)
        .to.throw(words)
        .with.property('code', 'recipe_failed')
    }
  })

  it('bounds a tree before it is walked', () => {
    const text = `${'{"node":"list","items":['.repeat(50_000)}1${']}'.repeat(50_000)}`
    const root: Json = JSON.parse(text)
    expect(() => parseComposite({ format: 'svc-composite-1', root })).to.throw('deeper than 32')
  })

  it('names weights by the digest of the place', () => {
    const value = memberOf({ path: ['a', 0], part: 'value' })
    expect(isLeafMember(value)).to.equal(true)
    expect(value).not.to.equal(memberOf({ path: ['a', '0'], part: 'value' }))
    expect(value).not.to.equal(memberOf({ path: ['a', 0], part: 'present' }))
    expect(pointerOf(['a/b', 0, 'c~d'])).to.equal('/a~1b/0/c~0d')
  })
})
