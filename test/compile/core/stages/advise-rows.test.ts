import { expect } from 'chai'
import { factsOf } from '../../../../core/compile/rows/intake/example.ts'
import { verifyCandidates } from '../../../../core/compile/stages/judge/verify.ts'
import { sampleCandidates } from '../../../../core/compile/stages/sample/sample.ts'
import { nextQuestion, rankQuestions } from '../../../../core/compile/synthesis/questions/next-question.ts'
import type { Json } from '../../../../core/kernel/json/json.ts'
import { EXACT } from '../../../../core/compile/rows/equality/equality.ts'
import { rowsOf } from '../rows/given-rows.ts'

const NAMES = ['Anna Berg', 'Chidi Okafor', 'Jo Smith', 'Luis Garcia', 'Olga Ivanova', 'Ole Moss', 'Thi Nguyen']
const MAILS = NAMES.map((name) => [name, `${name.toLowerCase().replace(' ', '.')}@acme.test`] as const)

describe('advice on the rows of a gated compile', () => {
  it('names wrong rows with outputs unlike those of right rows', () => {
    const rows = rowsOf([...MAILS, ['Tim Hall', 'ask reception'], ['Max Jones', '-']])
    const common = { task: 'Mail address', rows, negatives: [], facts: factsOf(rows) }
    const sample = sampleCandidates({ ...common, k: 3, budgetMs: 20_000, workBudget: 100_000 })
    const { rowAdvice } = verifyCandidates({ ...common, sample, floor: 0.99 })
    const odd = rowAdvice?.odd.filter(({ reasons }) => reasons.includes('output_unlike_others'))
    expect(odd?.map(({ id }) => id)).to.deep.equal([rows.at(-2)?.id, rows.at(-1)?.id])
    expect(verifyCandidates({ ...common, sample, floor: 0 }).rowAdvice).to.equal(null)
  })

  it('ranks the inputs to label as the questions would ask about them one after another', () => {
    const unlabelled = ['Ada', 'Bo', 'Cy', 'Ada', 'Di']
    const state = { candidates: [], rows: [], unlabelled, equality: EXACT }
    const asked: Json[] = []
    for (;;) {
      const question = nextQuestion({ ...state, asked })
      if (question === null) break
      asked.push(question.input)
    }
    const ranked = rankQuestions({ ...state, asked: [] }, 5)
    expect(ranked.map(({ question }) => question.input)).to.deep.equal(asked)
    expect(ranked.map(({ place }) => unlabelled[place])).to.deep.equal(['Ada', 'Bo', 'Cy', 'Di'])
  })
})
