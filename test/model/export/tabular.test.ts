import { expect } from 'chai'
import { InferenceSession, Tensor } from 'onnxruntime-node'
import { tabularGraph } from '../../../core/model/export/tabular/graph.ts'
import { createFeatureReader } from '../../../core/model/tabular/features/feature-reader.ts'
import { openTabular } from '../../../core/model/tabular/recipe/open-tabular.ts'
import { fit, loanRows, numberRows, tagRows, type GivenRow } from '../tabular/given.ts'

const TASKS: Readonly<Record<'label' | 'two labels' | 'number' | 'labels', readonly GivenRow[]>> = {
  label: loanRows(200),
  'two labels': loanRows(200).map(({ input, output }) => ({ input, output: output === 'grant' })),
  number: numberRows(200),
  labels: tagRows(200),
}

describe('tabular model in ONNX', function () {
  this.timeout(180_000)

  for (const [name, rows] of Object.entries(TASKS)) {
    it(`answers as the model does: ${name}`, async () => {
      const target = name === 'number' || name === 'labels' ? name : 'label'
      const { recipe, weights } = fit(rows, target)
      const threshold = 0.7
      const settled = recipe.target.kind === 'number' ? recipe.target : { ...recipe.target, threshold }
      const model = openTabular({ ...recipe, target: settled }, weights)
      const reader = createFeatureReader(model.recipe.columns)
      const inputs = [...rows.map(({ input }) => input), {}, { person: { income: 'NaN', work: 'new' } }]
      const matrix = new Float64Array(inputs.length * reader.features)
      for (const [i, input] of inputs.entries()) reader.read(input, matrix, i * reader.features)
      const session = await InferenceSession.create(tabularGraph(model.arrays, model.recipe.target))
      const outputs = await session.run({ features: new Tensor('float64', matrix, [inputs.length, reader.features]) })
      for (const [i, input] of inputs.entries()) {
        const answer = model.answer(input)
        if (target === 'number') {
          expect(Number(outputs['number']?.data[i])).to.be.closeTo(Number(answer.output), 1e-9)
          expect(Number(outputs['lower']?.data[i])).to.be.closeTo(answer.interval?.[0] ?? NaN, 1e-9)
          continue
        }
        expect(Number(outputs['confidence']?.data[i])).to.be.closeTo(answer.confidence, 1e-6)
        expect(Boolean(outputs['answered']?.data[i])).to.equal(!answer.abstained)
        if (answer.abstained || settled.kind === 'number') continue
        const { labels } = settled
        const chosen =
          target === 'label'
            ? labels[Number(outputs['label']?.data[i])]
            : labels.filter((_, k) => Boolean(outputs['included']?.data[i * labels.length + k]))
        expect(chosen).to.deep.equal(answer.output)
      }
      await session.release()
    })
  }
})
