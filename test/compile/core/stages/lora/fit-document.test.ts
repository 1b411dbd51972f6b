import { expect } from 'chai'
import {
  decodeFitDocument,
  encodeFitDocument,
  type FitDocument,
} from '../../../../../core/compile/stages/lora/fit/fit-document.ts'
import { DomainError } from '../../../../../core/kernel/errors.ts'
import { defaultHyperparameters } from '../../../../../core/model/training/hyperparameters.ts'

const BASE = { name: 'nano', weightsHash: `sha256:${'1'.repeat(64)}` } as const
const FACTS = { rows: 1, tokens: 8, contextLength: 64, hiddenSize: 16 }
const ADAPTER = { config: '{}', weights: 'AAAA' }

describe('the document of a fit', () => {
  it('keeps a teacher, a start and the distributions of rows', () => {
    const row = { id: 'a', prompt: [1, 2], answer: [3, 0], weight: 1 }
    const teacher = { k: 2, ids: [3, 4, 0, 5], logProbs: [-0.5, -1, -0.25, -2.5] }
    const document: FitDocument = {
      format: 'svc-fit/1',
      base: BASE,
      hyperparameters: defaultHyperparameters(FACTS, 'kd', { maxSteps: 5 }),
      rows: [{ ...row, teacher }],
      validation: [{ ...row, teacher: { ...teacher, ids: null } }],
      teacher: { base: BASE, adapter: ADAPTER },
      start: ADAPTER,
    }
    const read = decodeFitDocument(encodeFitDocument(document))
    expect(
      JSON.parse(JSON.stringify(read, (_, value) => (ArrayBuffer.isView(value) ? Array.from(numbers(value)) : value))),
    ).to.deep.equal(document)
    expect(
      decodeFitDocument(encodeFitDocument({ ...document, teacher: { base: BASE, adapter: null } })).teacher,
    ).to.deep.equal({
      base: BASE,
      adapter: null,
    })
  })

  it('is refused in another form', () => {
    const broken = new TextEncoder().encode('{"format":"svc-fit/2"}')
    expect(() => decodeFitDocument(broken)).to.throw(DomainError, 'not in its form')
  })
})

function numbers(value: ArrayBufferView): Iterable<number> {
  if (value instanceof Int32Array || value instanceof Float64Array) return value
  throw new Error('other numbers than rows have')
}
