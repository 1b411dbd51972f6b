import { expect } from 'chai'
import { previewCompile } from '../../../../../core/compile/stages/preview/preview.ts'
import { TEMPLATES } from '../../../../../core/compile/stages/advice/templates/catalog.ts'
import { matchTemplate } from '../../../../../core/compile/stages/advice/templates/match.ts'

describe('starter templates', () => {
  for (const template of TEMPLATES) {
    it(`${template.id} has enough rows and passes when it is cross-fitted`, () => {
      expect(template.examples.length).to.be.at.least(40)
      const inputs = new Set(template.examples.map((row) => JSON.stringify(row.input)))
      expect(inputs.size).to.equal(template.examples.length)
      const rows = template.examples.map((row, index) => ({ id: `row_${index + 1}`, ...row }))
      const preview = previewCompile({ task: template.task, rows, floor: 0.85, budgetMs: 20_000 })
      expect(preview.accepted, preview.gate_reasons.join('; ')).to.equal(true)
      expect(preview.split_mode).to.equal('cross_fit')
    })

    it(`${template.id} is found by its own task`, () => {
      expect(matchTemplate(template.task)?.id).to.equal(template.id)
    })
  }

  it('are not offered for what they have nothing to do with', () => {
    for (const text of ['', 'a', 'zebra stripes', 'number'])
      expect(matchTemplate(text)?.id, text).to.be.oneOf([undefined, 'phone-number-normalizer'])
    expect(matchTemplate('')).to.equal(undefined)
  })
})
