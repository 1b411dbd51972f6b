import { expect } from 'chai'
import { RECIPE_KINDS } from '../../../../../core/compile/rows/task.ts'
import { runTerms } from '../../../../../core/compile/stages/pool/run-terms.ts'

const LONG = { lane: 'long', takesTurns: true, isMetered: true }
const SHORT = { lane: 'short', takesTurns: false, isMetered: false }
const kinds = new Map(RECIPE_KINDS.map((kind) => [`of ${kind}`, kind]))
const artifact = (kind: string) => ({ kind: 'artifact', artifactId: `of ${kind}` })

describe('terms of work that runs recipes', () => {
  it('are those of the long lane for what a base answers, and of the short lane for every other recipe', () => {
    for (const kind of RECIPE_KINDS) {
      expect(runTerms([artifact(kind)], kinds), kind).to.deep.equal(kind === 'lora' ? LONG : SHORT)
    }
    expect(runTerms([{ kind: 'base' }], kinds)).to.deep.equal(LONG)
    expect(runTerms([artifact('program'), artifact('lora')], kinds)).to.deep.equal(LONG)
    expect(runTerms([{ kind: 'rule' }, { kind: 'model' }, artifact('none')], kinds)).to.deep.equal(SHORT)
  })
})
