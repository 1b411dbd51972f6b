import { expect } from 'chai'
import fc from 'fast-check'
import { lossCurveSvg } from '../../../core/model/training/loss-curve.ts'

const step = (number: number, loss: number) => ({ step: number, loss })

describe('the loss curve', () => {
  it('draws training and validation losses inside its frame', () => {
    const steps = Array.from({ length: 50 }, (_, i) => step(i + 1, 4 * Math.exp(-i / 10)))
    const svg = lossCurveSvg({
      steps,
      validations: [
        { step: 25, loss: 1 },
        { step: 50, loss: 0.5 },
      ],
    })
    expect(svg).to.match(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="0 0 640 320"/)
    expect(svg.match(/<circle/g)).to.have.length(2)
    expect(svg).to.include('validation loss').and.include('>50</text>').and.include('>4</text>')
    expect(svg.trimEnd().endsWith('</svg>')).to.equal(true)
    const path = /<path d="(M[^"]+)" fill="none" stroke="#9ab8e0"/.exec(svg)?.[1] ?? ''
    for (const [, x, y] of path.matchAll(/([\d.]+) ([\d.]+)/g)) {
      expect(Number(x)).to.be.within(56, 624)
      expect(Number(y)).to.be.within(36, 280)
    }
  })

  it('is small for a long job, and the same for the same history', () => {
    const history = { steps: Array.from({ length: 20_000 }, (_, i) => step(i + 1, 3 / (1 + i))), validations: [] }
    expect(lossCurveSvg(history)).to.equal(lossCurveSvg(history))
    expect(lossCurveSvg(history).length).to.be.below(20_000)
  })

  it('is a picture for any history', () => {
    const losses = fc.array(fc.double({ min: -10, max: 1e6, noNaN: true }), { maxLength: 20 })
    fc.assert(
      fc.property(losses, losses, (train, validation) => {
        const svg = lossCurveSvg({
          steps: train.map((loss, i) => step(i + 1, loss)),
          validations: validation.map((loss, i) => ({ step: i + 1, loss })),
        })
        expect(svg).not.to.match(/NaN|Infinity|undefined/)
      }),
    )
  })
})
