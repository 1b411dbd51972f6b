import { expect } from 'chai'
import { Tensor } from 'onnxruntime-node'
import { GraphBuilder } from '../../../core/model/graph/builder.ts'
import { add } from '../../../core/model/graph/ops/elementwise.ts'
import { concat, reshape, split, transpose } from '../../../core/model/graph/ops/layout.ts'
import { gemm, matmul } from '../../../core/model/graph/ops/products.ts'
import { openSession } from '../../../core/model/graph/session.ts'
import { runGraph } from './run-graph.ts'

describe('GraphBuilder', () => {
  it('writes a model that the runtime computes', async () => {
    const [sum] = await runGraph(
      [
        { shape: [2, 2], data: [1, 2, 3, 4] },
        { shape: [2], data: [10, 20] },
      ],
      (g, [a, b]) => (a === undefined || b === undefined ? [] : [add(g, a, b)]),
    )
    expect(sum).to.deep.equal([11, 22, 13, 24])
  })

  it('keeps constants, negative integers and attributes as they were given', async () => {
    const g = new GraphBuilder()
    const x = g.input('x', 'float32', [2, 3])
    const weight = g.weight('w', 'float32', [2, 3], Float32Array.of(1, 0, 0, 0, 1, -0.5))
    g.output('flat', reshape(g, gemm(g, x, weight, g.scalar(1), { transposeB: true, alpha: 0.25 }), [4]))
    const session = await openSession(g.toBytes(), { threads: 1 })
    const outputs = await session.run({ x: new Tensor('float32', Float32Array.of(4, 8, 16, 0, 0, -8), [2, 3]) })
    await session.release()
    expect([...Float32Array.from(outputs['flat']?.data ?? [], Number)]).to.deep.equal([2, 1, 1, 2])
  })

  it('runs with any extent where a dimension has a name', async () => {
    const g = new GraphBuilder()
    const x = g.input('x', 'float32', ['batch', 'tokens', 4])
    const heads = reshape(g, x, ['batch', 'tokens', 2, 2])
    g.output('y', transpose(g, heads, [0, 2, 1, 3]))
    const session = await openSession(g.toBytes(), { threads: 1 })
    const shapes: (readonly number[])[] = []
    for (const [batch, tokens] of [
      [1, 3],
      [2, 5],
    ] as const) {
      const data = new Float32Array(batch * tokens * 4)
      const { y } = await session.run({ x: new Tensor('float32', data, [batch, tokens, 4]) })
      shapes.push(y?.dims ?? [])
    }
    await session.release()
    expect(shapes).to.deep.equal([
      [1, 2, 3, 2],
      [2, 2, 5, 2],
    ])
  })

  it('infers shapes and refuses those that do not fit where they are written', () => {
    const g = new GraphBuilder()
    const [a, b] = [g.input('a', 'float32', [2, 3]), g.input('b', 'float32', [4, 3])]
    expect(matmul(g, a, b, { transposeB: true }).shape).to.deep.equal([2, 4])
    expect(concat(g, [a, b], 0).shape).to.deep.equal([6, 3])
    expect(split(g, b, [1, 3], 0).map(({ shape }) => shape)).to.deep.equal([
      [1, 3],
      [3, 3],
    ])
    expect(() => matmul(g, a, b)).to.throw('Inner dimensions differ: [2, 3] · [4, 3]')
    expect(() => add(g, a, b)).to.throw('[2, 3] and [4, 3] do not broadcast')
    expect(() => reshape(g, a, [4])).to.throw('Cannot reshape [2, 3] to [4]')
    expect(() => g.input('a', 'float32', [1])).to.throw('already has a value named a')
  })
})
