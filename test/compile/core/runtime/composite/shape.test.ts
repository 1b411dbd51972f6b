import { expect } from 'chai'
import { inferShape, leavesOf, readLeaves, type Shape } from '../../../../../core/compile/runtime/composite/shape.ts'
import { judgeAnswers, judgeOutput } from '../../../../../core/compile/runtime/composite/judge-leaves.ts'
import { EXACT } from '../../../../../core/compile/rows/equality/equality.ts'
import type { Json } from '../../../../../core/kernel/json/json.ts'

const LEAF: Shape = { node: 'leaf' }

describe('form of outputs', () => {
  it('divides objects into members and lists of one length into items', () => {
    const outputs = Array.from({ length: 4 }, (_, at) => ({
      a: at,
      b: [at, 'x'],
      c: Array.from({ length: at }, () => 1),
    }))
    expect(inferShape(outputs)).to.deep.equal({
      node: 'object',
      members: [
        { name: 'a', value: LEAF },
        { name: 'b', value: { node: 'list', items: [LEAF, LEAF] } },
        { name: 'c', value: LEAF },
      ],
    })
  })

  it('finds members that are missing and values that are null', () => {
    const outputs: Json[] = [{ a: 'one', b: null }, { b: 'p' }, { a: 'two', b: 'q' }, { a: 'three', b: null }]
    expect(inferShape(outputs)).to.deep.equal({
      node: 'object',
      members: [
        { name: 'a', value: { node: 'optional', absent: 'missing', value: LEAF } },
        { name: 'b', value: { node: 'optional', absent: 'null', value: LEAF } },
      ],
    })
  })

  it('takes null as one of few labels', () => {
    const outputs = Array.from({ length: 12 }, (_, at) => ({ a: ['red', 'blue', null][at % 3] ?? null }))
    expect(inferShape(outputs)).to.deep.equal({ node: 'object', members: [{ name: 'a', value: LEAF }] })
  })

  it('leaves alone what has no common structure', () => {
    expect(inferShape(['a', 'b'])).to.deep.equal(LEAF)
    expect(inferShape([{ a: 1 }, ['b']])).to.deep.equal(LEAF)
    expect(inferShape([{ a: 1 }, { b: 1 }, { c: 1 }])).to.deep.equal(LEAF)
    const keyed = Array.from({ length: 70 }, (_, at) => ({ [`k${at}`]: 1, [`k${at + 1}`]: 2 }))
    expect(inferShape(keyed)).to.deep.equal(LEAF)
    expect(inferShape([])).to.deep.equal(LEAF)
  })

  it('does not divide deeper than a recipe may nest', () => {
    const nested = (depth: number): Json => (depth === 0 ? 1 : { a: nested(depth - 1) })
    const [leaf] = leavesOf(inferShape([nested(60), nested(60)]))
    expect(leaf?.path.length).to.be.below(32)
  })

  it('reads the values of leaves in the order of the leaves', () => {
    const shape = inferShape([{ a: 'x', b: { c: 1 } }, { b: { c: null } }, { a: 'y', b: { c: 2 } }])
    expect(leavesOf(shape).map(({ path, part }) => `${part} ${path.join('.')}`)).to.deep.equal([
      'present a',
      'value a',
      'present b.c',
      'value b.c',
    ])
    expect(readLeaves(shape, { a: 'z', b: { c: null } })).to.deep.equal([true, 'z', false, undefined])
    expect(readLeaves(shape, { b: 5 })).to.deep.equal([false, undefined, undefined, undefined])
    expect(readLeaves(shape, 'no object')).to.deep.equal([undefined, undefined, undefined, undefined])
  })

  it('judges leaves by the answer, or by their own answers where there is none', () => {
    const shape = inferShape([{ a: 'x', b: 1 }, { b: 2 }, { a: 'y', b: 3 }])
    expect(judgeOutput(shape, EXACT, { a: 'x', b: 2 }, { a: 'x', b: 1 })).to.deep.equal(['right', 'right', 'wrong'])
    expect(judgeOutput(shape, EXACT, { b: 1 }, { a: 'x', b: 1 })).to.deep.equal(['wrong', 'wrong', 'right'])
    expect(judgeOutput(shape, EXACT, { a: 'x', b: 1 }, { b: 1 })).to.deep.equal(['wrong', null, 'right'])
    const answer = (output: Json) => ({ output, abstained: false, confidence: 1, failed: false }) as const
    const silent = { output: null, abstained: true, confidence: 0.2, failed: false } as const
    expect(judgeAnswers(shape, EXACT, [answer(true), silent, answer(4)], { a: 'x', b: 1 })).to.deep.equal([
      'right',
      'abstained',
      'wrong',
    ])
    expect(judgeAnswers(shape, EXACT, [], { b: 1 })).to.deep.equal(['failed', null, 'failed'])
  })
})
