import { expect } from 'chai'
import { drawDocument, isHeldBack } from '../../bases/training/documents.ts'
import { questionsOf } from '../../bases/training/evaluation/questions.ts'
import { createRandom } from '../../bases/training/random.ts'
import { stockNotes } from '../support/archives/stock-notes.ts'
import { TRAINED_FAMILIES, UNSEEN_FAMILIES } from '../../bases/training/tasks/families.ts'

const ALL = [...TRAINED_FAMILIES, ...UNSEEN_FAMILIES]
const draw = (seed: number, count: number) => {
  const random = createRandom(seed)
  return Array.from({ length: count }, () => drawDocument(random))
}

describe('the text that the base is trained on', () => {
  it('is the same for the same seed and another for another seed', () => {
    expect(draw(1, 50)).to.deep.equal(draw(1, 50))
    expect(draw(1, 50)).to.not.deep.equal(draw(2, 50))
  })

  it('comes from more than a hundred families of tasks, each with its own name', () => {
    expect(TRAINED_FAMILIES.length).to.be.greaterThan(100)
    expect(new Set(ALL.map(({ name }) => name)).size).to.equal(ALL.length)
  })

  it('never holds an input that is held back', () => {
    // The first input of a document may have an instruction before it.
    const inputs = draw(3, 2000).flatMap((document) =>
      document.kind === 'turns' ? document.turns.slice(1).map(({ input }) => input) : [],
    )
    expect(inputs.length).to.be.greaterThan(0)
    expect(inputs.filter(isHeldBack)).to.deep.equal([])
  })

  it('counts a first answer little when no text has stated the rule', () => {
    const shown = draw(5, 500).filter((document) => document.kind === 'turns' && document.turns[0]?.weight !== 1)
    for (const document of shown) {
      const weights = document.kind === 'turns' ? document.turns.map(({ weight }) => weight) : []
      expect(weights.slice(1)).to.deep.equal(weights.slice(1).map(() => 1))
    }
    expect(shown.length).to.be.greaterThan(0)
  })

  for (const family of ALL) {
    it(`draws ${family.name}: inputs and answers that are text, under one rule`, () => {
      const random = createRandom(11)
      const { instructions, make } = family.task(random)
      expect(instructions.length).to.be.greaterThan(0)
      for (let i = 0; i < 30; i++) {
        const { input, output } = make(random)
        expect(input.trim(), 'input').to.not.equal('')
        expect(input, 'input').to.not.match(/undefined|NaN/)
        expect(output, 'output').to.not.match(/undefined|NaN/)
      }
    })
  }
})

describe('questions about held-back items', () => {
  it('are the same for the same seed', () => {
    const [family] = TRAINED_FAMILIES
    if (family === undefined) throw new Error('no families')
    expect(questionsOf(family, 'examples', 5, 1)).to.deep.equal(questionsOf(family, 'examples', 5, 1))
  })

  it('hold inputs that training never saw, where the family has longer ones', () => {
    const family = TRAINED_FAMILIES.find(({ name }) => name === 'numbers in sentence')
    if (family === undefined) throw new Error('no such family')
    const questions = questionsOf(family, 'examples', 10, 1)
    expect(questions.every(({ input, isUnseen }) => isUnseen && isHeldBack(input))).to.equal(true)
  })
})

describe('the notes that an adapter is tried on', () => {
  it('are the same for the same seed, and no input comes twice', () => {
    const notes = stockNotes(300)
    expect(stockNotes(300)).to.deep.equal(notes)
    expect(new Set(notes.map(({ input }) => input)).size).to.equal(300)
  })

  it('are of no family of the training text', () => {
    const outputs = draw(9, 3000).flatMap((document) =>
      document.kind === 'turns' ? document.turns.map(({ output }) => output) : [],
    )
    expect(outputs.filter((output) => /^\d+ x \w+ \w+$/.test(output))).to.deep.equal([])
  })
})
