import { Tensor } from 'onnxruntime-node'
import { GraphBuilder } from '../../../core/model/graph/builder.ts'
import { openSession } from '../../../core/model/graph/session.ts'
import type { Value } from '../../../core/model/graph/value.ts'

export interface Numbers {
  readonly shape: readonly number[]
  readonly data: readonly number[]
}

/** Feeds the arrays as float32 inputs, builds the graph and returns each output's numbers. */
export async function runGraph(
  inputs: readonly Numbers[],
  build: (g: GraphBuilder, inputs: readonly Value[]) => readonly Value[],
): Promise<readonly (readonly number[])[]> {
  const g = new GraphBuilder()
  const values = inputs.map(({ shape }, index) => g.input(`x${index}`, 'float32', shape))
  for (const [index, output] of build(g, values).entries()) g.output(`y${index}`, output)
  const session = await openSession(g.toBytes(), { threads: 1 })
  try {
    const feeds = inputs.map(({ shape, data }, index) => [
      `x${index}`,
      new Tensor('float32', Float32Array.from(data), shape),
    ])
    const outputs = await session.run(Object.fromEntries(feeds))
    return g.outputs.map(({ name }) => {
      const data = outputs[name]?.data
      if (!(data instanceof Float32Array)) throw new Error(`No float32 output ${name}`)
      return [...data]
    })
  } finally {
    await session.release()
  }
}
