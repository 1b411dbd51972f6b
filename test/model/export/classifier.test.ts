import { expect } from 'chai'
import { InferenceSession, Tensor } from 'onnxruntime-node'
import { classifierRunner } from '../../../core/compile/runtime/runners/classifier-runner.ts'
import { createVectorizer } from '../../../core/model/classifier/sparse-rows.ts'
import { encodeLayer } from '../../../core/model/classifier/weights.ts'
import { createRandom } from '../../../core/model/random.ts'
import { exportClassifier } from '../../../core/model/export/classifier/export-classifier.ts'
import { unzip, wholeFile } from './given.ts'

const FEATURES = { wordGrams: 2, charGrams: [3, 4] } as const
const LABELS = ['billing', 'delivery', 'other']
const TEXTS = ['Where is my parcel?', 'the invoice is wrong', 'hello', 'Zürich — parcel, invoice', '日本']

/** A classifier that knows about half of the features of the texts. */
function aClassifier(threshold: number) {
  const random = createRandom(3, 'classifier')
  const vectorize = createVectorizer({ wordGrams: 2, charGrams: [3, 4] })
  const seen = new Set(TEXTS.slice(0, 4).flatMap((text) => [...vectorize(text).hashes]))
  const hashes = Uint32Array.from([...seen].filter(() => random.float() < 0.5)).toSorted()
  const weights = encodeLayer({
    labels: LABELS.length,
    hashes,
    scales: Float32Array.of(0.02, 0.03, 0.01),
    bias: Float32Array.of(0.5, -0.25, 0.125),
    bytes: Int8Array.from({ length: hashes.length * LABELS.length }, () => random.below(255) - 127),
  })
  const recipe = {
    format: 'svc-classifier-1',
    labels: LABELS,
    features: { wordGrams: FEATURES.wordGrams, charGrams: [...FEATURES.charGrams] },
    feature_count: hashes.length,
    temperature: 0.7,
    threshold,
  }
  return { recipe, weights, vectorize }
}

describe('classifier in ONNX', () => {
  for (const threshold of [0, 0.6]) {
    it(`answers as the classifier does, with a threshold of ${threshold}`, async () => {
      const { recipe, weights, vectorize } = aClassifier(threshold)
      const file = exportClassifier({ name: 'given', artifactId: 'cmp_0', cid: 'cidv1:0', recipe, weights })
      const members = await unzip(await wholeFile(file))
      expect(JSON.parse(members.get('labels.json')?.toString() ?? '')).to.deep.equal({ labels: LABELS })
      const session = await InferenceSession.create(members.get('model.onnx') ?? Buffer.alloc(0))
      const runner = classifierRunner(recipe, weights)
      const answered: boolean[] = []
      for (const text of TEXTS) {
        const { hashes, values } = vectorize(text)
        const outputs = await session.run({
          feature_hashes: new Tensor('int64', BigInt64Array.from(hashes, BigInt), [hashes.length]),
          feature_values: new Tensor('float32', Float32Array.from(values), [hashes.length]),
        })
        const expected = runner.run(text)
        expect(Boolean(outputs['answered']?.data[0]), text).to.equal(!expected.abstained)
        answered.push(!expected.abstained)
        if (expected.confidence === 0) continue
        expect(Number(outputs['confidence']?.data[0])).to.be.closeTo(expected.confidence ?? 0, 1e-5)
        if (!expected.abstained) expect(LABELS[Number(outputs['label']?.data[0])]).to.equal(expected.output)
      }
      expect(answered).to.include(false)
      expect(answered).to.include(true)
      await session.release()
    })
  }
})
